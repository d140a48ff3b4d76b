// Three secrets, and the ways in which a recipe or a setup module could leak them.
import type { Nodes } from './plain.js';
import { plainSetup } from './plainSetup.js';

const canaries = { env: 'Zebra-Quartz-7781-one', stdin: 'Maple "Fjord" 5512\\two', json: '{"token":"Otter-Basalt-9920-three"}' };
const inputs = {
  a: { type: 'secret-ref', ref: 'file:secrets/env' },
  b: { type: 'secret-ref', ref: 'file:secrets/stdin' },
  c: { type: 'secret-ref', ref: 'file:secrets/json' },
};
/** Parts of the secrets, in every readable spelling. A file with one of these strings has leaked a secret. */
const telltales = ['Zebra-Quartz', 'Fjord', 'Otter-Basalt', Buffer.from(canaries.env).toString('base64').slice(0, 20)];
export const hitsIn = (text: string) => telltales.filter((piece) => text.includes(piece));
export const secretFiles = { 'secrets-env': canaries.env, 'secrets-stdin': canaries.stdin, 'secrets-json': canaries.json };
export const secretInputs = Object.fromEntries(
  Object.entries(inputs).map(([name, input]) => [name, { ...input, ref: input.ref.replace('/', '-') }]),
);

export const leakySetup = plainSetup(
  {
    'leak.output': 'return { output: { deep: [fields.secret], [fields.secret]: 1 } };',
    'leak.thrown': "throw new Error('refused ' + fields.secret, { cause: new Error(fields.secret) });",
    'leak.file_name':
      "return { output: {}, artifacts: [{ path: 'logs/' + fields.secret.replace(/\\W/g, '-') + '.txt', type: 'log', label: fields.secret, body: Buffer.from(fields.secret) }] };",
    'leak.issue': "return { output: {}, issues: [{ level: 'error', source: 'app', message: fields.secret }] };",
    'leak.expected': 'return { output: { got: fields.secret } };',
  },
  `stateRefs: [{ name: 'leak', description: 'x', read: () => ({ token: ${JSON.stringify(canaries.env)} }) }],
   operators: [{ name: 'leak.is', description: 'x', holds: (actual) => { throw new Error('saw ' + actual); } }],
   preconditions: [{ id: 'leak.gate', description: 'x', check: () => ({ ok: false, error: ${JSON.stringify(canaries.stdin)}, output: ${JSON.stringify(canaries.json)} }) }],`,
);
const shell = (cmd: string, rest: object = {}) => ({
  action: 'command',
  cmd,
  env: { A: '{{a}}', C: '{{c}}' },
  next: 'done',
  ...rest,
});
const leak = (action: string, rest: object = {}) => ({ action, secret: '{{a}} {{b}} {{c}}', next: 'done', ...rest });
const state = (rest: object) => ({ source: 'state:leak', path: '$.token', ...rest });

/** Nodes and other parts of a recipe, each of which would leak the secrets in one way. */
export const leakChannels: Record<string, [Nodes, object?]> = {
  'the environment, stdout and stderr': [{ n: shell('env; echo "$A" >&2; echo "$A" | base64 -w0; printf %s "$C"') }],
  'stdin, and back': [{ n: { action: 'command', argv: ['tee', '/dev/stderr'], stdin: '{{a}}\n{{b}}\n{{c}}', next: 'done' } }],
  'a long output': [{ n: shell('for i in $(seq 4000); do echo "$A $C"; done') }],
  'the message of a failed command': [{ n: shell('echo "bad $A" >&2; exit 3') }],
  'a failed assertion': [{ n: shell('echo "$A$C"', { assert: { path: '$.stdout', operator: 'eq', value: 'x' } }) }],
  'a file that is asserted': [
    {
      n: shell('echo "$A$C" > made.txt', { next: 'f' }),
      f: { action: 'assert_file', path: 'made.txt', contains: 'none', next: 'done' },
    },
  ],
  'a file that is kept': [
    {
      n: shell('echo "$A$C" > made.txt', { next: 'f' }),
      f: { action: 'index_artifacts', artifacts: ['made.txt'], next: 'done' },
    },
  ],
  'a log that is watched': [
    {
      n: shell('echo "ERROR $A$C" > made.txt', { next: 'f' }),
      f: { action: 'watch_logs', path: 'made.txt', contains: 'ERROR', next: 'done' },
    },
  ],
  'the output of a custom action': [{ n: leak('leak.output') }],
  'an error with a cause': [{ n: leak('leak.thrown') }],
  'the name of a file': [{ n: leak('leak.file_name', { secret: '{{a}}' }) }],
  'an issue that was noticed': [{ n: leak('leak.issue') }],
  'what a custom action got and an assertion shows': [
    { n: leak('leak.expected', { assert: { path: '$.got', operator: 'eq', value: 1 } }) },
  ],
  'a state ref': [
    { n: { action: 'state_read', source: 'state:leak', assert: state({ operator: 'eq', value: 'x' }), next: 'done' } },
  ],
  'the error of an operator': [
    { n: { action: 'wait', duration_ms: 0, assert: state({ operator: 'leak.is', value: 'x' }), next: 'done' } },
  ],
  'a gate': [{ n: shell('true') }, { workflow: { pre_conditions: ['leak.gate'] } }],
  'the text of a later node': [
    {
      n: shell('printf %s "$A"', { save_as: 'k', next: 'm' }),
      m: { action: 'command', argv: ['cat'], rw: { in: { stdin: { source: 'saved', path: '$.k.stdout' } } }, next: 'done' },
    },
  ],
};
