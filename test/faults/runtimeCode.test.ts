// Strings of manifests that could be executed: conditions and routers are never executed as code, and Python logic runs within its limits.
import { execFileSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { describe, expect, test } from 'vitest';
import { defineAgent, defineLogic } from '../../src/formats/runtime/actions/projectHandlers.js';
import { evaluateCondition, readCondition } from '../../src/formats/runtime/condition.js';
import { UnsupportedExpression } from '../../src/formats/runtime/python/parsePython.js';
import { evaluateRouter } from '../../src/formats/runtime/router.js';
import { buildChildEnv } from '../../src/system/processes/runProcess.js';
import { runPython } from '../../src/system/processes/runPython.js';
import { cpuMs } from '../support/cpuMs.js';
import { eventDrivenMs, whenReady } from '../support/eventDrivenClock.js';
import { running } from '../support/processProbe.js';
import { agent, edge, logic, manifest, prepareManifest, runManifest } from '../unit/formats/runtime/runManifest.js';

const give = (name: string, value: unknown) => defineAgent(name, () => value);

const hostile = [
  "__import__('os').system('touch leaked')",
  '().__class__.__bases__[0].__subclasses__()',
  "open('/etc/passwd').read()",
  "eval('1+1')",
  "exec('import os')",
  'lambda: 1',
  '[x for x in state]',
  'state.__class__',
  'state._private == 1',
  "getattr(state, 'x')",
  "'a' * 10 ** 10 == ''",
  '(n := 10) > 5',
  "f'{state}' == ''",
  "{{ ''.__class__.__mro__ }}",
  "{{ cycler.__init__.__globals__.os.popen('id').read() }}",
  "{{ x | attr('y') }}",
  "import os; os.system('x')",
  ...['n & 1', 'n | 1', 'n ^ 1', '~n', 'a @ b', '2 ** 9', '1 << 9', '8 >> 1', 'score > 0.5 && ready', '{{ x | upper }}'],
  ...['n == 0x10', '0x10', '1_000', '1j', "b'x'", "'a' 'b'", "n == '\\x41'", "n == '\\d'", 'n > 1 # always', 'n > 1, m'],
  ...['ready == true', 'n is None or null', 'n is 5', '(1, 2) == n', 'len(n, m)', "n.strip('x')", 'any(n, m)', "int('5', 16)"],
  `${'('.repeat(5_000)}1${')'.repeat(5_000)}`,
  `${'('.repeat(60)}1${')'.repeat(60)}`,
  `x == '${'a'.repeat(900_000)}'`,
];

describe('a condition that would be code', () => {
  test.for(hostile.map((text) => [text.slice(0, 60), text] as const))(
    'the condition %s is refused before the run',
    ([, text]) => {
      expect(() => readCondition(text)).toThrow(UnsupportedExpression);
      const value = manifest([agent('a', 'A'), logic('b')], [edge('a', 'b', text)]);
      const { findings } = prepareManifest(value, { agents: [give('A', 1)], logic: [defineLogic('b', () => 1)] });
      expect(findings).toContainEqual(
        expect.objectContaining({ code: 'runtime.refused_condition', path: '/topology/edges/0/condition' }),
      );
      expect(findings.filter(({ severity }) => severity === 'error')).toMatchObject([
        { message: expect.stringContaining('is not supported: ') },
      ]);
    },
  );

  // A document can only be this long when a project raises its limit.
  test.for([
    ['a string', `state.x == '${'a'.repeat(10_000_000)}'`],
    ['a chain', `{{ ${'not '.repeat(2_500_000)}x }}`],
    ['a name', `${'x'.repeat(10_000_000)}(1)`],
  ] as const)('a condition of 10 MB is refused within two seconds: %s', ([, text]) => {
    expect(cpuMs(() => expect(() => readCondition(text)).toThrow(UnsupportedExpression))).toBeLessThan(2_000);
  });

  test('a condition cannot read inherited properties', () => {
    const values = { state: {}, inputs: {}, parameters: {}, nodes: {}, output: {} };
    for (const text of [
      'constructor != 1',
      'state.constructor != 1',
      'state["__proto__"] != 1',
      "state.get('constructor') != None",
      'toString != 1',
    ])
      expect([text, evaluateCondition(readCondition(text), values)]).toEqual([text, false]);
  });

  test('a condition of hundreds of parts is evaluated within a second', () => {
    const text = `${'state.a or '.repeat(350)}state.b`;
    const values = { state: { a: 0, b: 1 }, inputs: {}, parameters: {}, nodes: {} };
    expect(cpuMs(() => expect(evaluateCondition(readCondition(text), values)).toBe(true))).toBeLessThan(1_000);
  });
});

describe('a router that would be code', () => {
  test.for([
    [{ operator: '__import__', args: ['os'] }, 'there is no operator "__import__"'],
    [{ operator: 'eq', args: [1] }, '"eq" has 1 arguments, but it takes 2'],
    [nested(25), 'nested deeper than 20 levels'],
    [{ operator: 'and', args: Array.from({ length: 101 }, () => true) }, '"and" has 101 arguments, but it takes 1 to 100'],
    [{ operator: 'eval', args: ["__import__('os').system('id')"] }, 'there is no operator "eval"'],
    [{ operator: 'constructor', args: [1, 2] }, 'there is no operator "constructor"'],
  ] as const)('the router %j is refused before the run', ([router_logic, message]) => {
    const value = manifest([agent('a', 'A')], [{ source_node_id: 'a', router_logic, mapping: { true: 'a' } }]);
    const { findings } = prepareManifest(value, { agents: [give('A', 1)] });
    expect(findings.filter(({ severity }) => severity === 'error')).toMatchObject([
      { message: expect.stringContaining(message) },
    ]);
  });

  test('a router that names a Python function is not imported when Python is off', async () => {
    const value = manifest([agent('a', 'A')], [{ source_node_id: 'a', router_logic: 'os.getcwd', mapping: { x: 'a' } }]);
    await expect(runManifest(value, { agents: [give('A', 1)] })).rejects.toThrow('the router "os.getcwd" is not registered');
  });
});

describe('a router over hostile values', () => {
  const values = { state: { long: 'a'.repeat(10_000_000), list: ['a'] }, inputs: {}, parameters: {}, nodes: {} };

  test.for([
    [{ operator: 'contains', args: ['$state.long', `${'a'.repeat(5_000)}b`] }, false],
    [{ operator: 'eq', args: ['$state.long', '$state.long'] }, true],
    [{ operator: 'exists', args: ['$state.__proto__'] }, false],
    [{ operator: 'exists', args: ['$state.constructor.prototype'] }, false],
    [{ operator: 'exists', args: ['$state.list.length'] }, false],
    [{ operator: 'eq', args: ['$process.env', '$process.env'] }, true],
  ] as const)('the router %j is evaluated within two seconds and reads only own properties', ([router, answer]) => {
    expect(cpuMs(() => expect(evaluateRouter(router, values)).toBe(answer))).toBeLessThan(2_000);
  });
});

function nested(depth: number): object {
  return depth === 0 ? { operator: 'exists', args: ['$state.x'] } : { operator: 'not', args: [nested(depth - 1)] };
}

describe('Python code of a logic node', () => {
  const run = (code: string, options: Parameters<typeof runManifest>[1] = {}) =>
    runManifest(manifest([logic('l', code)]), { python: true, ...options });

  test('Python code does not run unless the project allows it', async () => {
    await expect(runManifest(manifest([logic('l', 'result = 1')]))).rejects.toThrow('the project does not allow Python code');
  });

  test.for([
    ['result = {"n": sum(range(5))}', { n: 10 }],
    ['state["n"] = 3', null],
    ['def switch_logic(inputs):\n    return "case_0" if inputs.get("x", 0) == 0 else "default"', 'case_0'],
    ['print("noise")\nresult = parameters["p"]', 'q'],
  ] as const)('Python code runs when the project allows it: %j', async ([code, output]) => {
    const result = await runManifest(manifest([logic('l', code)], [], { parameters: { p: 'q' } }), { python: true });
    expect(result.error).toBe('');
    expect(result.output('topology/l')).toEqual(output);
  });

  test('Python code sees only the default environment variables', async () => {
    process.env.RECIPEWRIGHT_TEST_SECRET = 'hidden';
    // Bypasses the shim of a version manager, which adds environment variables.
    const program = execFileSync('python3', ['-c', 'import sys; print(sys.executable)'], { encoding: 'utf8' }).trim();
    const result = await run('import os\nresult = sorted(os.environ)', { python: { program } });
    delete process.env.RECIPEWRIGHT_TEST_SECRET;
    expect(result.error).toBe('');
    const usual = ['PATH', 'HOME', 'LANG', 'TZ', 'CI'];
    // The first marks processes, so that recipewright finds those left behind. Python itself sets the second.
    const additional = ['RECIPEWRIGHT_RUN', 'LC_CTYPE'];
    expect((result.output('topology/l') as string[]).filter((name) => ![...usual, ...additional].includes(name))).toEqual([]);
  });

  test.for([
    ['1 / 0', /^runtime.python_failed: The Python code failed: ZeroDivisionError: division by zero \(line 1\)/],
    ['this is no code', /^runtime.python_failed: The Python code failed: SyntaxError/],
    [
      'result = object()',
      /^runtime.python_failed: The Python code failed: TypeError: Object of type object is not JSON serializable/,
    ],
    ['x = "a" * (10 ** 10)', /^runtime.python_failed: The Python code failed: MemoryError/],
    ['def f(): return f()\nresult = f()', /^runtime.python_failed: The Python code failed: RecursionError/],
    [
      'open("big", "wb").write(b"x" * 20_000_000)',
      /^runtime.python_failed: The Python code failed: OSError|^runtime.python_failed: SIGXFSZ ended the Python code/,
    ],
    ['result = "x" * 100_000_000', /^runtime.python_failed: The Python code/],
    ['import os\nos.closerange(0, 100)', /^runtime.python_failed: The Python code/],
    ['import __main__\n__main__.work = None\n__main__.answer.close()', /^runtime.python_failed: The Python code/],
    ['raise SystemExit(0)', /^runtime.python_failed: The Python code failed: SystemExit/],
    ['import os\nos._exit(0)', /^runtime.python_failed: The Python code exited with code 0 and returned no readable answer/],
    ['import os, signal\nos.kill(os.getpid(), signal.SIGKILL)', /^runtime.python_failed: SIGKILL ended the Python code/],
  ] as const)('Python code that fails makes the run fail: %j', async ([code, error]) => {
    const result = await run(code);
    expect(result.status).toBe('fail');
    expect(result.error).toMatch(error);
  });

  test('Python code is ended at its timeout with all processes that it started', async () => {
    const mark = `recipewright-${process.pid}-endless`;
    const { clock, ready } = whenReady();
    const start = `subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)', '${mark}'])`;
    // The clock strikes when the child process has started, and not before.
    const code = `import subprocess, sys\n${start}\nopen('${ready}', 'w').close()\nwhile True: pass`;
    const policy = { timeout: eventDrivenMs / 1_000, max_retries: 0 };
    const result = await runManifest(manifest([logic('l', code)], [], { policy }), { python: true, clock });
    expect(result.status).toBe('fail');
    expect(result.reason).toMatch(/did not finish within 3600000 ms/);
    expect(running(mark)).toEqual([]);
  });

  test('Python code ends by its CPU limit when its parent does not end it', async () => {
    const task = { do: 'run' as const, code: 'while True: pass', values: {} };
    const { signal } = new AbortController();
    const answer = await runPython(task, { ms: 500, cwd: tmpdir(), env: buildChildEnv({}), signal, tag: 'lab/endless' });
    expect(answer).toMatchObject({ failure: expect.stringMatching(/^SIG(XCPU|KILL) ended the Python code/) });
  });

  test('Python code may print 40 MB and still returns its result', async () => {
    const result = await run('for i in range(400000): print("x" * 100)\nresult = "done"');
    expect(result.output('topology/l')).toBe('done');
  });

  test('Python code without an installed Python is a fault of the environment', async () => {
    const result = await run('result = 1', { python: { program: 'no-such-python' } });
    expect(result.status).toBe('unknown');
    expect(result.error).toMatch(/^runtime.no_python: Python could not be started: there is no program "no-such-python"/);
    expect(result.ends.get('topology/l')?.error?.cause_class).toBe('environment');
  });

  test('a Python function of the project can route', async () => {
    const value = manifest(
      [agent('a', 'A'), logic('x'), logic('y')],
      [{ source_node_id: 'a', router_logic: 'my_routers.choose', mapping: { big: 'x', small: 'y' } }],
    );
    const result = await runManifest(value, {
      ...{ python: true, agents: [give('A', { n: 7 })], logic: [defineLogic('x', () => 1), defineLogic('y', () => 1)] },
      files: { 'my_routers.py': 'def choose(values):\n    return "big" if values["n"] > 5 else "small"\n' },
    });
    expect(result.error).toBe('');
    expect(result.skipped).toEqual(['topology/y']);
  });
});

test('a condition with hundreds of thousands of braces is read within a second', () => {
  for (const text of [`}}${'{{'.repeat(200_000)}`, '{{}}'.repeat(10_000)])
    expect(cpuMs(() => void readCondition(text))).toBeLessThan(1_000);
});
