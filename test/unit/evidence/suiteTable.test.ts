// index.md lists the claims, the failures, and the commands that run a recipe again.
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readFirstFailure, readSummary } from '../../../src/evidence/readPackage.js';
import type { SuiteEntry } from '../../../src/evidence/suite.js';
import { suiteOf } from '../../../src/evidence/suiteIndex.js';
import { renderSuiteTable } from '../../../src/evidence/suiteTable.js';
import { directory } from './packages.js';
import { richPackage, richRecipe, runIn } from './richPackage.js';

const broken = JSON.parse(JSON.stringify(richRecipe).replaceAll('"contains":"kept"', '"contains":"gone"'));

async function suite(): Promise<{ dir: string; entries: SuiteEntry[] }> {
  const dir = directory();
  cpSync((await richPackage()).dir, join(dir, 'recipes/good'), { recursive: true });
  cpSync(await runIn(directory(), broken), join(dir, 'recipes/bad'), { recursive: true });
  const summary = (name: string) => ({ ...readSummary(join(dir, name)), host: { name: 'playwright', version: '1' } });
  const entries = ['recipes/good', 'recipes/bad'].map((name) => ({ name, summary: summary(name) }));
  return { dir, entries };
}

const tableOf = (dir: string, entries: readonly SuiteEntry[]): string =>
  renderSuiteTable(suiteOf(entries), entries, { findFailure: (name) => readFirstFailure(join(dir, name)) });

describe('index.md', () => {
  test('index.md lists the claims and their status', async () => {
    const { dir, entries } = await suite();
    const text = tableOf(dir, entries);
    expect(text).toContain('2 claimed: 1 proven, 1 refuted, 0 unproven, 0 blocked.');
    expect(text).toContain('### refuted\n\n- AC1 of recipes/bad: The notes are kept. \\(1 of 2 assertions did not hold\\)\n');
  });

  test('index.md lists proven claims last, and only the first 200 of them', async () => {
    const { dir, entries } = await suite();
    const text = tableOf(dir, entries);
    expect(text).toContain('### proven\n\n- AC1 of recipes/good: The notes are kept.\n');
    expect(text.indexOf('### proven')).toBeGreaterThan(text.indexOf('### refuted'));
    const [good] = entries;
    const proof = Array.from({ length: 203 }, (_, index) => ({
      ...{ id: `AC${index}`, status: 'proven' as const, held: 1, failed: 0, artifacts: 0 },
      claim: index === 0 ? `[x](javascript:1) | <img> @team\n## ${'x'.repeat(1_000)}` : 'It holds.',
    }));
    const many = tableOf(dir, [{ ...good, name: 'recipes/good', summary: { ...good?.summary, proof } as SuiteEntry['summary'] }]);
    const section = many.split('### proven\n')[1] ?? '';
    expect(section.split('\n').filter((line) => line.startsWith('- '))).toHaveLength(201);
    expect(section).toContain('\n- and 3 more, in index.html\n');
    const [first = ''] = section.trim().split('\n');
    expect(first).toMatch(/^- AC0 of recipes\/good: \\\[x\\\]\\\(javascript:1\\\) \\\| &lt;img&gt; @&#8203;team/);
    expect(first.length).toBeLessThan(400);
  });

  test('index.md names the first failed node, the failed assertion, and the command that runs this recipe again', async () => {
    const { dir, entries } = await suite();
    const section = tableOf(dir, entries).split('## recipes/bad: fail\n')[1] ?? '';
    expect(section).toContain('- node: `check`, Do what check is there for\n');
    expect(section).toMatch(/- assertion: `.* expected contains "gone", received .*`\n/);
    expect(section).toMatch(/- run again: `npx playwright test a`\n$/);
  });

  test.for<[what: string, fields: object, line: string]>([
    [
      'an "all" of several comparisons',
      {
        ...{ operator: 'all', path: '$', held: false },
        comparisons: [
          { operator: 'not_contains', path: '$', expected: 'hi', actual: 'hi', held: false },
          { operator: 'eq', path: '$.code', expected: 0, actual: 0, held: true },
        ],
      },
      '`The assertion "all" of 2 comparisons failed: ✗ output $ expected not_contains "hi", received "hi". ✓ output $.code expected eq 0, received 0.`',
    ],
    [
      'a not_contains',
      { operator: 'not_contains', path: '$.text', expected: 'hi', actual: 'hi' },
      '`output $.text expected not_contains "hi", received "hi".`',
    ],
    [
      'a missing value',
      { operator: 'eq', path: '$.text', expected: 'hi', missing: true },
      '`output $.text is missing; expected eq "hi".`',
    ],
    [
      'an assertion of another runner',
      { name: 'title', comparisons: [null] },
      '`{"held":false,"name":"title","comparisons":[null]}`',
    ],
  ])('index.md describes the failed assertion of %s', async ([, fields, line]) => {
    const { entries } = await suite();
    const failure = { nodeId: 'check', error: 'It failed.', failedAsserts: [{ held: false, ...fields }], artifacts: [] };
    expect(renderSuiteTable(suiteOf(entries), entries, { findFailure: () => failure })).toContain(`- assertion: ${line}\n`);
  });

  test('index.md has the error of the failed node only if the reason of the run does not contain it', async () => {
    const { dir, entries } = await suite();
    const reasonsOf = (text: string) => text.split('## recipes/bad: fail\n')[1]?.match(/^- (reason|error): .*$/gm);
    const { error = '' } = readFirstFailure(join(dir, 'recipes/bad')) ?? {};
    expect(error).not.toBe('');
    expect(reasonsOf(tableOf(dir, entries))).toEqual([expect.stringMatching(/^- reason: check: /)]);
    const other = entries.map((entry) => ({ ...entry, summary: { ...entry.summary, reason: 'AC1 is refuted' } }) as SuiteEntry);
    expect(reasonsOf(tableOf(dir, other))).toEqual(['- reason: AC1 is refuted', expect.stringMatching(/^- error: /)]);
  });

  test('index.md has no section for a recipe that passed', async () => {
    const { dir, entries } = await suite();
    expect(tableOf(dir, entries)).not.toContain('## recipes/good');
  });

  test('index.md escapes strings of recipes in Markdown and in commands', async () => {
    const { dir, entries } = await suite();
    const [, bad] = entries;
    const id = "x'; touch `pwned` #";
    const hostile = [{ name: 'recipes/bad', summary: { ...bad?.summary, recipe: { id, digest: '' } } as SuiteEntry['summary'] }];
    expect(tableOf(dir, hostile)).toContain("- run again: `` npx playwright test 'x'\\''; touch `pwned` #' ``\n");
  });

  test('index.md omits the failed node if the package does not have it', async () => {
    const { entries } = await suite();
    const text = renderSuiteTable(suiteOf(entries), entries, { findFailure: () => undefined });
    expect(text).toContain('## recipes/bad: fail\n\n- reason: ');
    expect(text).not.toContain('- node:');
  });
});
