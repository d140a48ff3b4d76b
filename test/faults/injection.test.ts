// F15, F16: values that are commands or options, passed to real shells and real programs. A marker file shows that a value was executed.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { command } from '../../src/actions/core/command.js';
import { toNode } from '../../src/formats/classic/compile.js';
import { fillNode } from '../../src/run/node/prepareNode.js';
import { Scope } from '../../src/run/node/scope.js';
import { bindShell } from '../../src/shell/bindShell.js';
import { recipeOf, runPlain } from '../support/plain.js';

const folder = mkdtempSync(join(tmpdir(), 'injection-'));
afterAll(() => rmSync(folder, { recursive: true }));
beforeEach(() => rmSync(join(folder, 'hit'), { force: true }));

const shells = ['sh', 'bash'].filter((shell) => existsSync(`/bin/${shell}`));
const wasHit = (): boolean => existsSync(join(folder, 'hit'));
const env = { PATH: process.env.PATH ?? '', HOME: folder };

const payloads = [
  ...['; touch hit', '$(touch hit)', '`touch hit`', '" ; touch hit ; "', "' ; touch hit ; '", '\ntouch hit\n', '&& touch hit'],
  ...['| touch hit', '\'"$(touch hit)"\'', `\${IFS}touch\${IFS}hit`, '\\"; touch hit; #', 'a[$(touch hit)]'],
];

describe.skipIf(shells.length < 2)('F15 twelve values that are commands (skipped without sh and bash)', () => {
  const places = [
    'printf %s {{x}}',
    'printf %s "<{{x}}>"',
    "printf %s '<{{x}}>'",
    'v={{x}}; printf %s "$v"',
    'printf %s {{x}} | cat',
  ];
  const asArguments = [
    'sh -c \'printf %s "$1"\' _ {{x}}',
    'v={{x}} sh -c \'printf %s "$v"\'',
    `printf %s a{{x}}b\${{x}}c"\${{x}}"`,
  ];

  test.for(shells)('values that are commands reach %s unchanged and are not executed', (shell) => {
    expect(payloads).toHaveLength(12);
    for (const text of [...places, ...asArguments]) {
      for (const value of payloads) {
        const bound = bindShell(text, () => ({ found: true, value }));
        const printed = execFileSync(shell, ['-c', bound.text], { cwd: folder, env: { ...env, ...bound.env } }).toString();
        const expected = text.includes('<') ? `<${value}>` : text.includes('a{{') ? `a${value}b$${value}c$${value}` : value;
        expect([text, printed]).toEqual([text, expected]);
      }
    }
    expect(readdirSync(folder)).toEqual([]);
  });

  test('values that are commands are not executed in argv, stdin or env of a recipe, and the trace has them unchanged', async () => {
    const inputs = Object.fromEntries(payloads.map((payload, index) => [`p${index}`, payload]));
    const print = 'process.stdout.write([process.argv[2], process.env.V, require("fs").readFileSync(0, "utf8")].join("|"))';
    const nodes = payloads.map((_, index) => {
      const reference = `{{inputs.p${index}}}`;
      const next = index + 1 < payloads.length ? `n${index + 1}` : 'done';
      return [
        `n${index}`,
        { action: 'command', argv: ['node', 'print.cjs', reference], stdin: reference, env: { V: reference }, next },
      ];
    });
    const run = await runPlain(recipeOf(Object.fromEntries(nodes), { inputs }), { 'print.cjs': print });
    expect(run.summary.status).toBe('pass');
    const printed = run.trace.slice(0, -1).map(({ output }) => (output as { stdout: string }).stdout);
    expect(printed).toEqual(payloads.map((payload) => [payload, payload, payload].join('|')));
  });
});

// In each of these commands the shell executes the value when it replaces the reference as text. Such references are refused.
const readAgain = [
  `n='a[$({{x}})]'; s=abc; echo \${s:n}`,
  `n='a[$({{x}})]'; echo \${s[$n]}`,
  'for ((i=0;i<a[$({{x}})];i++)); do break; done',
  'true && \\\n sh \\\n -c "{{x}}"',
  'echo "{{x}}" | eval sh',
  'printf -v v %s "{{x}}"; eval "$v"',
  ...[
    '{{x}}',
    'env {{x}}',
    'eval {{x}}',
    'eval "echo; {{x}}"',
    'sh -c "{{x}}"',
    "bash -c '{{x}}'",
    'env -i PATH="$PATH" sh -c "{{x}}"',
  ],
  ...[
    'nohup sh -c "{{x}}"',
    'timeout 5 sh -c "{{x}}"',
    'nice -n 1 sh -c "{{x}}"',
    'exec {{x}}',
    'command {{x}}',
    'trap "{{x}}" EXIT',
  ],
  ...['echo "{{x}}" | sh', 'echo "{{x}}" | bash -s', 'echo "{{x}}" | cat | sh', 'printf %s "{{x}}" | xargs -I% sh -c "%"'],
  ...['(echo "{{x}}") | sh', 'echo "{{x}}" | { sh; }', 'echo "{{x}}" | while read l; do eval "$l"; done', 'sh <<EOF\n{{x}}\nEOF'],
  ...['bash <<< "{{x}}"', 'bash <(echo "{{x}}")', '. <(echo "{{x}}")', 'v="{{x}}"; eval "$v"', 'v="{{x}}" sh -c \'eval "$v"\''],
  ...[
    'f() { eval "$1"; }; f "{{x}}"',
    'set -- "{{x}}"; eval "$1"',
    'sh -c \'eval "$1"\' _ "{{x}}"',
    'echo $({{x}})',
    'echo `{{x}}`',
  ],
  ...['find . -maxdepth 0 -exec sh -c "{{x}}" \\;', 'find . -maxdepth 0 -exec {{x}} \\;', 'echo "{{x}}" | eval "$(cat)"'],
  ...[
    "node -e \"require('child_process').execSync('{{x}}')\"",
    "perl -e 'system(q({{x}}))'",
    'awk \'BEGIN { system("{{x}}") }\'',
  ],
  ...['echo a | sed "1e {{x}}"', "v='a[$({{x}})]'; echo $((v))", "[[ 'a[$({{x}})]' -eq 1 ]]", 'echo "{{x}}" > >(sh); sleep 0.2'],
];

describe.skipIf(shells.length < 2)('F15 a place that a shell reads as code (skipped without sh and bash)', () => {
  test.for(readAgain)('a reference is refused where the shell would execute its value: %s', (text) => {
    spawnSync('bash', ['-c', text.replaceAll('{{x}}', 'touch hit')], { cwd: folder, env, input: '' });
    expect(wasHit()).toBe(true);
    expect(() => bindShell(text, () => ({ found: true, value: 'touch hit' }))).toThrow('another interpreter');
  });
});

const node = (fields: object) => toNode('n', { action: 'command', ...fields }, { pointer: '/n', section: 'graph' });
const scope = new Scope({ inputs: { x: 'touch hit', dash: '--upload-pack=touch hit' }, saved: new Map([['y', 'touch hit']]) });

test.for([
  [{ argv: ['sh', '-c', '{{x}}'] }, 'argv.2'],
  [{ argv: ['{{x}}'] }, 'argv.0'],
  [{ argv: ['env', 'A=1', '{{x}}'] }, 'argv.2'],
  [{ argv: ['sh', '-c', 'eval "$1"', '_', '{{x}}'] }, 'argv.4'],
  [{ argv: ['sh'], stdin: '{{x}}' }, 'stdin'],
  [{ cmd: 'bash -s', stdin: '{{x}}' }, 'stdin'],
  [{ cmd: 'read v; eval "$v"', stdin: '{{x}}' }, 'stdin'],
  [{ cmd: 'eval "$V"', env: { V: '{{x}}' } }, 'env.V'],
  [{ argv: ['sh', '-c', 'eval "$V"'], env: { V: '{{x}}' } }, 'env.V'],
  [{ argv: ['node', 'a.mjs'], env: { NODE_OPTIONS: '{{x}}' } }, 'env.NODE_OPTIONS'],
  [{ rw: { in: { cmd: { source: 'saved', path: '$.y' } } } }, 'rw.in.cmd'],
  [{ rw: { in: { argv: { source: 'saved', path: '$.y' } } } }, 'rw.in.argv'],
  [{ argv: ['sh'], rw: { in: { stdin: { source: 'saved', path: '$.y' } } } }, 'rw.in.stdin'],
] as const)('F15 a run refuses %j even without the check of the rules', ([fields, place]) => {
  const { problem } = fillNode(node(fields), command, scope);
  expect(problem).toMatchObject({ code: 'command.reference_in_interpreter', kind: 'harness' });
  expect(problem?.message).toContain(`"${place}"`);
});

test('F15 an environment variable of the recipe never replaces the variable with a value', () => {
  const fields = { cmd: 'echo {{x}}', env: { RECIPE_VALUE_1: 'other' } };
  expect(fillNode(node(fields), command, scope).fields.env).toEqual({ RECIPE_VALUE_1: 'touch hit' });
});

test.for([
  { cmd: 'git ls-remote {{dash}}' },
  { cmd: 'git fetch origin "{{dash}}"' },
  { cmd: 'tar cf a.tar {{dash}}' },
  { cmd: 'sed -n 1p {{dash}}' },
  { cmd: 'perl -e 1 {{dash}}' },
  { cmd: 'find {{dash}} -name a' },
  { argv: ['git', 'clone', '{{dash}}'] },
  { argv: ['sudo', '-u', 'bob', 'rsync', '{{dash}}', 'b'] },
])('F16 a value that the program would read as an option is refused: %j', (fields) => {
  const { problem } = fillNode(node(fields), command, scope);
  expect(problem).toMatchObject({ code: 'command.option_value', kind: 'action' });
  expect(problem?.message).toContain('Write "--" before the reference');
});

test.for([{ cmd: 'git ls-remote -- {{dash}}' }, { argv: ['git', 'log', '--grep=a{{dash}}'] }, { cmd: 'printf %s {{dash}}' }])(
  'F16 a value with a dash is allowed where it cannot be an option: %j',
  (fields) => expect(fillNode(node(fields), command, scope).problem).toBeUndefined(),
);

test.skipIf(shells.length < 2)(
  'F16 an option that sed reads from an argument executes a command in GNU sed (skipped without sh and bash)',
  () => {
    writeFileSync(join(folder, 'in'), 'a\n');
    const isGnu = spawnSync('sed', ['--version']).stdout?.toString().includes('GNU');
    spawnSync('sed', ['-n', '1p', '-e1etouch hit', 'in'], { cwd: folder, env });
    expect(wasHit()).toBe(isGnu === true);
    rmSync(join(folder, 'in'));
  },
);
