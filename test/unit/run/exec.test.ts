// rw.exec fills values into the words of a command when the node runs. No program may read such a value as code or as an option.
import { describe, expect, test } from 'vitest';
import { checkDocument } from '../../../src/check/checkFile.js';
import { readDocument } from '../../../src/document/readDocument.js';
import { declared } from '../../support/goodDocuments.js';
import { recipeOf, runPlain } from '../../support/plain.js';

const exec = (fields: object) => recipeOf({ run: { action: 'rw.exec', next: 'done', ...fields } }, { inputs: { x: 'kettle' } });
const codes = (document: unknown): string[] =>
  checkDocument(readDocument('a.recipe.json', Buffer.from(JSON.stringify(document))), declared)
    .findings.filter(({ severity }) => severity === 'error')
    .map(({ code }) => code);

describe('rw.exec', () => {
  test('rw.exec fills each value into its word once, and no shell reads the value', async () => {
    const argv = ['node', '-p', 'process.argv.slice(1).join("|")', '--', 'a {who} b', '{n}', '{{x}}'];
    const { summary, trace } = await runPlain(exec({ argv, values: { who: '$(touch ran) {n}; "x"', n: 3 } }));
    expect(summary.status).toBe('pass');
    expect(trace[0]?.output).toMatchObject({ stdout: 'a $(touch ran) {n}; "x" b|3|kettle\n' });
  });

  test('rw.exec starts no program when a placeholder has no value', async () => {
    const { summary } = await runPlain(exec({ argv: ['touch', '{left}'], values: { right: 'log' } }));
    expect(summary).toMatchObject({ status: 'fail', reason: expect.stringContaining('{left} in "{left}" has no value') });
  });

  test('rw.exec starts no program that would read a value as an option', async () => {
    const { summary } = await runPlain(
      exec({ argv: ['git', 'fetch', '{remote}'], values: { remote: '--upload-pack=touch left' } }),
    );
    expect(summary).toMatchObject({ status: 'fail', reason: expect.stringContaining('would treat as an option') });
  });

  test.for([
    [{ argv: ['sh', '-c', 'echo {who}'], values: { who: 'x' } }, 'action.missing_field'],
    [{ argv: ['{program}'], values: { program: 'sh' } }, 'action.missing_field'],
    [{ argv: ['node', '-e', '{code}'], values: { code: '{{x}}' } }, 'action.missing_field'],
    [{ argv: ['sh', '-c', '{{x}}'] }, 'command.reference_in_interpreter'],
    [{ argv: ['ls'], env: { PATH: '{{x}}' } }, 'command.reference_in_interpreter'],
  ] as const)('rw.exec is refused when a program would read a value as code: %j', ([fields, code]) => {
    expect(codes(exec(fields))).toEqual([code]);
  });
});
