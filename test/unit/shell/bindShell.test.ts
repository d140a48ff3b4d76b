// Values in shell text, run by real shells with values that look like commands.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { bindShell, shellReferences } from '../../../src/shell/bindShell.js';

const folder = mkdtempSync(join(tmpdir(), 'shell-text-'));
afterAll(() => rmSync(folder, { recursive: true }));

const payloads = [
  ...[
    '; touch hit',
    '$(touch hit)',
    '`touch hit`',
    '" ; touch hit ; "',
    "' ; touch hit ; '",
    '\n touch hit \n',
    '&& touch hit',
    '| touch hit',
  ],
  ...[
    '\'"$(touch hit)"\'',
    `\${IFS}touch\${IFS}hit`,
    '$RECIPE_VALUE_2',
    '\\"; touch hit; #',
    '* ? [a]',
    '',
    '-n',
    'ä € 日本 \u{1f600}',
  ],
];
const shells = ['sh', 'bash'].filter((shell) => existsSync(`/bin/${shell}`));

describe.skipIf(shells.length === 0)('a reference in shell text (skipped without a POSIX shell)', () => {
  test.for(shells.flatMap((shell) => ['bare', 'double', 'single', 'assignment'].map((place) => [shell, place] as const)))(
    'the shell %s gets the exact value of a reference in this place: %s',
    ([shell, place]) => {
      const texts: Record<string, string> = {
        bare: 'printf %s {{x}}',
        double: 'printf %s "<{{x}}>"',
        single: "printf %s '<{{x}}>'",
        assignment: 'value={{x}}; printf %s "$value"',
      };
      const all = payloads.map((_, index) => texts[place]?.replace('{{x}}', `{{x.${index}}}`)).join("; printf '\\0'; ");
      const { text, env } = bindShell(all, ([, index]) => ({ found: true, value: payloads[Number(index)] }));
      const printed = execFileSync(`/bin/${shell}`, ['-c', text], { env: { PATH: process.env.PATH, ...env }, cwd: folder });
      const wrapped = place === 'double' || place === 'single';
      expect(printed.toString().split('\0')).toEqual(payloads.map((payload) => (wrapped ? `<${payload}>` : payload)));
      expect(existsSync(join(folder, 'hit'))).toBe(false);
    },
  );
});

test('a value that is not a string becomes JSON, and every reference gets its own variable', () => {
  const values = new Map<string, unknown>([
    ['a', 7],
    ['b', { c: [true] }],
  ]);
  const bound = bindShell('run {{a}} "{{b}}" {{a}}', ([name = '']) => ({ found: true, value: values.get(name) }));
  expect(bound).toEqual({
    text: `run "\${RECIPE_VALUE_1}" "\${RECIPE_VALUE_2}" "\${RECIPE_VALUE_3}"`,
    env: { RECIPE_VALUE_1: '7', RECIPE_VALUE_2: '{"c":[true]}', RECIPE_VALUE_3: '7' },
  });
});

test('a dollar sign before a reference stays a dollar sign', () => {
  const bound = bindShell(`run \${{x}} "\${{x}}" '\${{x}}' $\${{x}}`, () => ({ found: true, value: 'v' }));
  expect(bound.text).toBe(`run \\$"\${RECIPE_VALUE_1}" "\\$\${RECIPE_VALUE_2}" '$'"\${RECIPE_VALUE_3}"'' $$"\${RECIPE_VALUE_4}"`);
});

test('a reference in a comment or in the template of another language needs no value', () => {
  expect(bindShell("docker ps --format '{{.ID}} {{name}}'", () => ({ found: false })).env).toEqual({});
  expect(bindShell('true # {{x}}', () => ({ found: true, value: '\n touch hit' })).env).toEqual({
    RECIPE_VALUE_1: '\n touch hit',
  });
});

test.for([
  'sh -c "echo {{x}}"',
  "bash -lc 'echo {{x}}'",
  'eval {{x}}',
  'eval "echo {{x}}"',
  'node -e "console.log({{x}})"',
  'node --eval={{x}}',
  'node -p {{x}}',
  "python3 -c 'print({{x}})'",
  'perl -ne {{x}}',
  'echo $(echo {{x}})',
  'echo "$(echo {{x}})"',
  'echo `echo {{x}}`',
  'cat <<EOF\n{{x}}\nEOF',
  `echo "\${y:-{{x}}}"`,
  'ssh host {{x}}',
  'cd app && sh -c {{x}}',
  '/usr/bin/env bash -c {{x}}',
  'source {{x}}',
])('a reference in code of another interpreter is refused: %s', (text) => {
  expect(shellReferences(text).map(({ quoting }) => quoting)).toEqual(['nested']);
  expect(() => bindShell(text, () => ({ found: true, value: 'x' }))).toThrow('another interpreter');
});

test.for([
  ['echo {{x}}', 'bare'],
  ['npm test -- --grep {{x}}', 'bare'],
  ['node price.mjs {{x}}', 'bare'],
  ['node price.mjs; echo "{{x}}"', 'double'],
  ["sh build.sh && echo '{{x}}'", 'single'],
  ['echo $(date) {{x}}', 'bare'],
  ['echo `date` "{{x}}"', 'double'],
  ["echo 'it costs $(5)' {{x}}", 'bare'],
  ['echo "a \\" b {{x}}"', 'double'],
] as const)('a reference that only the shell reads is allowed: %s', ([text, quoting]) => {
  expect(shellReferences(text).map((found) => found.quoting)).toEqual([quoting]);
});
