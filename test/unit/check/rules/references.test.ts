// References: the places of their findings, the params that have values, and the time of the check.
import { describe, expect, test } from 'vitest';
import { checkDocument } from '../../../../src/check/checkFile.js';
import { readDocument } from '../../../../src/document/readDocument.js';
import { cpuMs } from '../../../support/cpuMs.js';
import { declared } from '../../../support/goodDocuments.js';
import { recipeOf, runPlain } from '../../../support/plain.js';
import { end, type Node, recipe, say } from '../../../support/recipe.js';

const check = (document: unknown) =>
  checkDocument(readDocument('a.recipe.json', Buffer.from(JSON.stringify(document))), declared).findings;
const at = (document: unknown, severity = 'error'): string[] =>
  check(document)
    .filter((finding) => finding.severity === severity)
    .map(({ code, path }) => `${code} ${path}`);
const run = (fields: object): Node => ({ action: 'command', ...fields });
const inputs = { x: 'kettle' };
const nodes = '/validate/workflow/nodes';

test('a reference is found even when its braces are written as escapes', () => {
  const text = JSON.stringify(recipe({ n: run({ argv: ['echo', '{{nobody}}'] }) }));
  for (const spelling of ['\\u007b\\u007b', '\\u007B{', '{\\u007b']) {
    const { findings } = checkDocument(readDocument('a.recipe.json', Buffer.from(text.replace('{{', spelling))), declared);
    expect(findings.map(({ code }) => code)).toEqual(['template.unresolved_reference']);
  }
});

describe('a reference that a program would read as code', () => {
  test.for([
    [{ cmd: 'echo {{x}} | sh' }, 'cmd'],
    [{ argv: ['sh', '-c', '{{x}}'] }, 'argv/2'],
    [{ argv: ['{{x}}'] }, 'argv/0'],
    [{ argv: ['node', '-e', 'console.log("{{x}}")'] }, 'argv/2'],
    [{ argv: ['python3', '-'], stdin: 'print({{x}})' }, 'stdin'],
    [{ cmd: 'sh -c "echo $V"', env: { V: '{{x}}' } }, 'env/V'],
    [{ cmd: 'ls', env: { PATH: '{{x}}' } }, 'env/PATH'],
  ] as const)('a reference that a program would read as code is reported at its place: %j', ([fields, place]) => {
    expect(at(recipe({ n: run(fields) }, { inputs }))).toEqual([`command.reference_in_interpreter ${nodes}/n/${place}`]);
  });

  test.for([
    [{ rw: { in: { cmd: { source: 'first', path: '$.stdout' } } } }, 'rw/in/cmd'],
    [{ rw: { in: { argv: { source: 'first', path: '$.stdout' } } } }, 'rw/in/argv'],
    [{ argv: ['bash'], rw: { in: { stdin: { source: 'first', path: '$.stdout' } } } }, 'rw/in/stdin'],
  ] as const)('a value of the run that is read into code is reported at its binding: %j', ([fields, place]) => {
    expect(at(recipe({ first: say('a'), n: run(fields) }))).toEqual([`command.reference_in_interpreter ${nodes}/n/${place}`]);
  });

  test.for([
    { argv: ['node', 'price.mjs', '{{x}}'] },
    { argv: ['cat'], stdin: '{{x}}' },
    { argv: ['sh', '-c', 'echo "$1"', '_', '{{x}}'] },
    { cmd: 'sh -c \'echo "$V"\'', env: { V: '{{x}}' } },
    { cmd: 'echo {{x}} | grep {{x}}' },
    { argv: ['cat'], rw: { in: { stdin: { source: 'first', path: '$.stdout' } } } },
    { argv: ['docker', 'ps', '--format', '{{.ID}} {{end}}'] },
  ])('a reference that a program reads as data has no finding: %j', (fields) => {
    expect(at(recipe({ first: say('a'), n: run(fields) }, { inputs }))).toEqual([]);
  });
});

describe('a reference in an assertion', () => {
  const value = (text: string) => ({ operator: 'contains', path: '$.stdout', value: text });

  test('a reference in any assertion is checked like one in a field', () => {
    const document = recipe({
      a: { ...say('a'), assert: { all: [value('{{gone}}'), value('{{params.n}}')] }, when: value('{{inputs.nobody}}') },
      b: { action: 'switch', cases: [{ when: value('{{outputs.a}}'), next: 'done' }], default: 'done' },
      done: end('pass'),
    });
    expect(at(document).filter((line) => line.startsWith('template'))).toEqual([
      `template.unresolved_reference ${nodes}/a/assert/all/0/value`,
      `template.unresolved_reference ${nodes}/a/assert/all/1/value`,
      `template.unresolved_reference ${nodes}/a/when/value`,
      `template.output_reference ${nodes}/b/cases/0/when/value`,
    ]);
  });

  test('a reference in an assertion is expanded before the comparison, and the trace has the expanded value', async () => {
    const flow = {
      entry: 'say',
      paramsSchema: { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] },
      postcondition: { operator: 'eq', path: '$.n', source: 'params', value: '{{params.n}}' },
      nodes: {
        say: {
          action: 'command',
          intent: 'Say the number of items',
          argv: ['echo', 'n={{params.n}}'],
          assert: value('n={{params.n}}'),
          next: 'end',
        },
        end: { action: 'end', status: 'pass' },
      },
    };
    const when = { operator: 'eq', source: 'inputs', path: '$.x', value: '{{x}}' };
    const { trace, summary } = await runPlain(
      recipeOf(
        {
          call: { action: 'call', ref: 'shop.say', params: { n: 3 }, when, next: 'pick' },
          pick: { action: 'switch', cases: [{ when, next: 'print' }], default: 'bad' },
          bad: { action: 'end', status: 'fail' },
          print: { action: 'command', argv: ['echo', 'kettle'], unless: { ...when, value: '{{x}}s' }, next: 'hear' },
          hear: { action: 'assert_output', source: 'print', assert: { operator: 'contains', value: '{{x}}' }, next: 'done' },
        },
        { inputs, flows: { 'shop.say': flow } },
      ),
    );
    expect(summary.status).toBe('pass');
    const expected = trace.flatMap(({ asserts = [] }) => asserts.map((assertion) => assertion.expected));
    expect(expected).toEqual(['n=3', 3, 'kettle']);
    expect(JSON.stringify(trace)).not.toContain('{{');
  });

  test('a reference in an assertion may not name a secret', () => {
    const document = recipe(
      { a: { ...say('a'), assert: value('{{inputs.token}}') } },
      { inputs: { token: { type: 'secret-ref', ref: 'env:TOKEN' } } },
    );
    expect(at(document)).toContain(`inputs.secret_misplaced ${nodes}/a/assert/value`);
  });

  test('a failed assertion reports the value of its reference', async () => {
    const first = { action: 'command', argv: ['echo', 'teapot'], assert: value('{{x}}'), next: 'done' };
    const { trace, summary } = await runPlain(recipeOf({ first }, { inputs }));
    expect(summary.status).toBe('fail');
    expect(trace[0]?.error).toContain('contains "kettle", received "teapot\\n"');
  });
});

describe('a param', () => {
  const flow = (paramsSchema: object | undefined, text = '{{params.side}}') => ({
    'shop.open': {
      ...(paramsSchema ? { paramsSchema } : {}),
      entry: 'a',
      nodes: { a: { action: 'command', intent: 'Print the side that is open', argv: ['echo', text], next: 'z' }, z: end('pass') },
    },
  });
  const document = (schema: object | undefined, ...calls: object[]) =>
    recipe(Object.fromEntries(calls.map((params, index) => [`c${index}`, { action: 'call', ref: 'shop.open', params }])), {
      flows: flow(schema),
    });
  const text = '/flows/shop.open/nodes/a/argv/1';

  test('a call that omits an optional param which the flow uses has a warning', () => {
    const schema = { type: 'object', properties: { side: { type: 'string' } } };
    expect(at(document(schema, { side: 'long' }, {}))).toEqual([]);
    expect(at(document(schema, { side: 'long' }, {}), 'warning')).toContain(`template.unresolved_reference ${nodes}/c1/params`);
    expect(at(document(schema, { side: 'long' }), 'warning').join()).not.toContain('template.');
  });

  test('a param with a default has a value in every call', () => {
    const schema = { type: 'object', properties: { side: { type: 'string', default: 'long' } } };
    expect(check(document(schema, {})).filter(({ code }) => code.startsWith('template'))).toEqual([]);
  });

  test('a param that the schema neither lists nor forbids is valid when every call passes it', () => {
    const open = { type: 'object', properties: { market: { type: 'string' } } };
    expect(at(document(open, { side: 'long' }))).toEqual([]);
    expect(at(document(open, { side: 'long' }, {}))).toEqual([`template.unresolved_reference ${text}`]);
    expect(at(document(open, {}))).toEqual([`template.unresolved_reference ${text}`]);
    expect(at(document({ ...open, additionalProperties: false }, {}))).toEqual([`template.unresolved_reference ${text}`]);
  });

  test('a param of a flow without a schema has a value when every call passes it', () => {
    expect(at(document(undefined, { side: 'long' }))).toEqual([]);
    expect(at(document(undefined, {}))).toEqual([`template.unresolved_reference ${text}`]);
  });
});

test('a reference in a key is refused, since it is never expanded', () => {
  expect(at(recipe({ n: run({ argv: ['env'], env: { 'A_{{x}}': 'b' } }) }, { inputs }))).toEqual([
    `template.invalid_reference ${nodes}/n/env/A_{{x}}`,
  ]);
});

test('malformed references have one finding for each text', () => {
  const findings = check(recipe({ n: run({ argv: ['echo', '{{params.a b}} {{inputs.x[0]}} {{x}}'] }) }, { inputs }));
  const [finding] = findings.filter(({ code }) => code === 'template.invalid_reference');
  expect(finding).toMatchObject({
    path: `${nodes}/n/argv/1`,
    message: expect.stringMatching(/^"\{\{params.a b\}\}" is not.*1 more/),
  });
});

test.for([
  ['20,000 open references in one text', recipe({ n: run({ argv: ['echo', '{{params '.repeat(20_000)] }) })],
  [
    '2,000 unknown references',
    recipe({ n: run({ argv: ['echo', ...Array.from({ length: 2_000 }, (_, index) => `{{name${index}}}`)] }) }),
  ],
  [
    '2,000 references among 2,000 inputs',
    recipe(
      { n: run({ argv: ['echo', ...Array.from({ length: 2_000 }, (_, index) => `{{inputs.name${index}x}}`)] }) },
      { inputs: Object.fromEntries(Array.from({ length: 2_000 }, (_, index) => [`name${index}`, 'a'])) },
    ),
  ],
] as const)('%s are checked in less than 200 ms', ([, document]) => {
  expect(cpuMs(() => expect(check(document).length).toBeGreaterThan(0))).toBeLessThan(200);
});
