// A condition that Python can parse gets the same value as in Python, or is refused, or is a plain string.
import { spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readKeys } from '../../src/engine/jsonPath.js';
import { evaluatePython, MissingValue } from '../../src/formats/runtime/python/evaluatePython.js';
import { EvaluationError } from '../../src/formats/runtime/python/operations.js';
import { NotExpression, parsePython, UnsupportedExpression } from '../../src/formats/runtime/python/parsePython.js';
import { pythonStr } from '../../src/formats/runtime/python/values.js';
import { runCount, timeoutMs } from './runCount.js';

const state = { n: 3, f: 0.5, z: 0, t: 'Ada', l: [1, 'a'], m: [2, 1], d: { k: 'x', n: 2 }, y: true, o: null };

const usual = [
  ...['0', '1', '5', '.5', '5.', '2.0', '1e2', "''", "'a'", '"b"', "'5'", "'5.5'", "' 7 '", "'0x10'", 'True', 'None', '[]'],
  ...['n', 'f', 'z', 't', 'l', 'm', 'd', 'y', 'o', 'd.k', 'd.n'],
];
const odd = [
  ...[
    '007',
    '00',
    '0x10',
    '0b1',
    '1_0',
    '1j',
    "b'x'",
    "r'x'",
    "u'a'",
    "'\\x41'",
    "'\\d'",
    "'\\n'",
    "'\\''",
    "'a' 'b'",
    "'''a'''",
  ],
  ...['true', 'none', 'null', '...', '()', '(1,)', '{}', 'absent'],
];
const literals = [...usual, ...odd];
const operators = [
  ...['+', '-', '*', '/', '//', '%', '==', '!=', '<', '<=', '>', '>=', 'in', 'not in', 'is', 'is not', 'and', 'or', ','],
  ...['&', '|', '@', ':=', ' if y else '],
];
const names = ['len', 'str', 'int', 'float', 'bool', 'abs', 'min', 'max', 'any', 'all'];
const methods = ['get', 'lower', 'upper', 'strip', 'startswith', 'endswith', 'count'];

const { expression } = fc.letrec<{ expression: string; atom: string; some: string }>((tie) => ({
  atom: fc.oneof({ weight: 5, arbitrary: fc.constantFrom(...usual) }, fc.constantFrom(...odd)),
  some: fc.array(tie('expression'), { maxLength: 2 }).map((items) => items.join(', ')),
  expression: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    { weight: 5, arbitrary: tie('atom') },
    {
      weight: 5,
      arbitrary: fc
        .tuple(tie('expression'), fc.constantFrom(...operators), tie('expression'))
        .map(([left, sign, right]) => `${left} ${sign} ${right}`),
    },
    fc.tuple(fc.constantFrom('-', '--', '+', '- ', 'not ', '~'), tie('expression')).map((parts) => parts.join('')),
    fc.tuple(fc.constantFrom(...names), tie('some')).map(([name, args]) => `${name}(${args})`),
    fc.tuple(tie('atom'), fc.constantFrom(...methods), tie('some')).map(([of, name, args]) => `${of}.${name}(${args})`),
    fc.tuple(tie('atom'), tie('expression')).map(([of, key]) => `${of}[${key}]`),
    tie('some').map((items) => `[${items}]`),
    tie('expression').map((inner) => `(${inner})`),
    tie('expression').map((inner) => `${inner} # comment`),
  ),
}));
const tokens = [
  ...literals,
  ...operators,
  ...names.map((name) => `${name}(`),
  '(',
  ')',
  '[',
  ']',
  '.',
  '#',
  'not',
  'if',
  'else',
  'lambda',
  ':',
  '\\\n',
];
const anything = fc.tuple(fc.array(fc.constantFrom(...tokens), { minLength: 1, maxLength: 6 }), fc.constantFrom('', ' '));
const texts = fc.oneof(
  { weight: 3, arbitrary: expression },
  anything.map(([parts, between]) => parts.join(between)),
);

const python = `
import ast, json, sys, warnings
warnings.simplefilter('ignore')
class Dict(dict):
    def __getattr__(self, name):
        if name in self: return self[name]
        raise AttributeError(name)
def is_json(v):
    if isinstance(v, list): return all(map(is_json, v))
    return v is None or isinstance(v, (bool, int, float, str, dict))
class Formats(ast.NodeTransformer):
    def visit_BinOp(self, node):
        self.generic_visit(node)
        if not isinstance(node.op, ast.Mod): return node
        return ast.Call(ast.Name('_mod', ast.Load()), [node.left, node.right], [])
def mod(a, b):
    # % is only for numbers here. It does not format strings.
    if isinstance(a, str): raise TypeError()
    return a % b
def answer(text, state):
    try: tree = ast.parse(text, mode='eval')
    except (SyntaxError, ValueError): return {'is': 'nothing'}
    items = tree.body.elts if isinstance(tree.body, ast.Tuple) else [tree.body]
    result = {'is': 'plain' if all(isinstance(i, (ast.Name, ast.Constant)) for i in items) else 'code'}
    builtins = {f.__name__: f for f in (len, str, int, float, bool, abs, min, max, any, all)}
    called = [node.func for node in ast.walk(tree) if isinstance(node, ast.Call)]
    # A name without a call belongs to the state, even if Python has a function of that name.
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id in builtins and node not in called: node.id = '_of_no_state'
    tree = ast.fix_missing_locations(Formats().visit(tree))
    try: value = eval(compile(tree, 'x', 'eval'), {'__builtins__': builtins, '_mod': mod}, dict(state))
    except Exception: return result
    return {**result, 'value': repr([value])} if is_json(value) else result
request = json.load(sys.stdin)
state = json.loads(json.dumps(request['state']), object_hook=Dict)
json.dump([answer(text, state) for text in request['texts']], sys.stdout)
`;

type PythonAnswer = { is: 'nothing' | 'plain' | 'code'; value?: string };

const hasPython = spawnSync('python3', ['--version']).status === 0;

test.runIf(hasPython)(
  'a condition has the same value as in Python, or is refused, or is a plain string (skipped without python3)',
  { timeout: timeoutMs },
  () => {
    const { seed = Date.now() % 1e9, numRuns = 0 } = runCount(8_000, 100_000);
    const conditions = [...new Set(fc.sample(texts, { seed, numRuns }))].filter((text) => text.length < 200);
    const { stdout, stderr } = spawnSync('python3', ['-c', python], {
      input: JSON.stringify({ state, texts: conditions }),
      encoding: 'utf8',
      maxBuffer: 2 ** 28,
    });
    expect(stderr).toBe('');
    const answers = JSON.parse(stdout) as PythonAnswer[];
    const compared = conditions.map((text, index) => ({ text, ours: evaluate(text), python: answers[index] as PythonAnswer }));
    const wrong = compared.filter(({ ours, python }) => !agrees(ours, python)).map((pair) => JSON.stringify(pair));
    expect(wrong.sort((a, b) => a.length - b.length).slice(0, 10), `RECIPEWRIGHT_SEED=${seed}`).toEqual([]);
    const understood = compared.filter(({ ours, python }) => ours.is === 'code' && python.value !== undefined);
    expect(understood.length).toBeGreaterThan(conditions.length / 40);
  },
);

function agrees(ours: { is: string; value?: string }, python: PythonAnswer): boolean {
  if (python.is === 'nothing' || ours.is === 'refused') return true;
  return ours.is === 'text' ? python.is === 'plain' : ours.value === python.value;
}

function evaluate(text: string): { is: 'refused' | 'text' | 'code'; value?: string } {
  try {
    const value = evaluatePython(parsePython(text), (name) => readKeys(state, [name]));
    return { is: 'code', value: pythonStr([value]) };
  } catch (thrown) {
    if (thrown instanceof UnsupportedExpression) return { is: 'refused' };
    if (thrown instanceof NotExpression) return { is: 'text' };
    if (thrown instanceof MissingValue || thrown instanceof EvaluationError) return { is: 'code' };
    throw thrown;
  }
}
