// The suite index counts every planned recipe once, and no string of a recipe can break its table.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { suiteResultModel } from '../../../src/evidence/models/suiteResultModel.js';
import type { SuiteEntry } from '../../../src/evidence/suite.js';
import { readSuiteIndex, writeSuiteIndex } from '../../../src/evidence/suiteIndex.js';
import type { Summary } from '../../../src/evidence/writePackage.js';
import { suitePage } from '../../../src/review/suite/suitePage.js';
import { directory, jsonIn, realPackage } from './packages.js';

async function summaryOf(rest: Partial<Summary> = {}): Promise<Summary> {
  return { ...jsonIn(await realPackage(), 'summary.json'), startedAt: '2026-03-04T05:06:07.000Z', ...rest } as Summary;
}

const claim = { id: 'AC1', claim: 'It works.', status: 'refuted', held: 0, failed: 1, artifacts: 0 } as const;

describe('the index of a suite', () => {
  test('the suite index counts every planned recipe once, with any result', async () => {
    const dir = directory();
    const entries: SuiteEntry[] = [
      { name: 'recipes/a', summary: await summaryOf({ status: 'pass', reason: 'the recipe passed' }) },
      { name: 'recipes/b', summary: await summaryOf({ status: 'fail', reason: 'AC1 is refuted', proof: [claim] }) },
      { name: 'recipes/c', summary: await summaryOf({ status: 'unknown', reason: 'interrupted at nap' }) },
      { name: 'recipes/d' },
      { name: 'recipes/e', skipped: true, detail: 'The test was skipped: no device.' },
    ];
    writeSuiteIndex(dir, entries);
    const suite = jsonIn(dir, 'suite.json');
    expect(suiteResultModel.safeParse(suite).error).toBeUndefined();
    expect(suite.totals).toEqual({
      declared: 5,
      executed: 3,
      not_executed: 2,
      passed: 1,
      failed: 1,
      unknown: 2,
      skipped: 1,
      not_run: 0,
    });
    expect(suite.resolutions[3]).toMatchObject({
      id: 'recipes/d',
      kind: 'not_executed',
      detail: 'The run ended before this recipe began.',
    });
    expect(suite.resolutions[0]).toMatchObject({ summary_path: 'recipes/a/summary.json' });
    expect(readFileSync(join(dir, 'index.md'), 'utf8')).toMatchInlineSnapshot(`
      "<!-- Written by recipewright and replaced by its next run. -->

      # Recipes: 1 of 5 passed

      Run of 2026-03-04T05:06:07.000Z

      5 planned: 1 passed, 1 failed, 2 unknown, 1 skipped.

      | recipe | verdict | claims | reason |
      |---|---|---|---|
      | [recipes/a](recipes/a/summary.json) | pass |  | the recipe passed |
      | [recipes/b](recipes/b/summary.json) | fail | AC1 refuted | AC1 is refuted |
      | [recipes/c](recipes/c/summary.json) | unknown |  | interrupted at nap |
      | recipes/d | unknown |  | The run ended before this recipe began. |
      | recipes/e | skipped |  | The test was skipped: no device. |

      ## Claims

      1 claimed: 0 proven, 1 refuted, 0 unproven, 0 blocked.

      ### refuted

      - AC1 of recipes/b: It works.

      ## recipes/b: fail

      - reason: AC1 is refuted
      - run again: \`recipewright run --artifacts-dir evidence --recipe a\`

      ## recipes/c: unknown

      - reason: interrupted at nap
      - run again: \`recipewright run --artifacts-dir evidence --recipe a\`
      "
    `);
  });

  test('the suite index counts left-out recipes as not run, and claims of recipes that never began as unproven', async () => {
    const dir = directory();
    const proven = { ...claim, status: 'proven', held: 1, failed: 0 } as const;
    const entries: SuiteEntry[] = [
      { name: 'recipes/a', summary: await summaryOf({ status: 'pass', reason: 'AC1 is proven', proof: [proven] }) },
      { name: 'recipes/b', notRun: true, detail: 'Left out by --grep x.', claims: [{ id: 'AC2', claim: 'It sings.' }] },
      { name: 'recipes/c', detail: 'No title. [recipe.title]', claims: [{ id: 'AC3', claim: 'It | dances.' }] },
    ];
    const suite = writeSuiteIndex(dir, entries, {}, { selection: ['--grep x'] });
    expect(suiteResultModel.safeParse(suite).error).toBeUndefined();
    expect(suite).toMatchObject({ state: 'finished', selection: ['--grep x'], totals: { passed: 1, unknown: 1, not_run: 1 } });
    const text = readFileSync(join(dir, 'index.md'), 'utf8');
    expect(text).toContain('# Recipes: 1 of 3 passed, 1 not run \\(`--grep x`\\)\n');
    expect(text).toContain('3 planned: 1 passed, 0 failed, 1 unknown, 0 skipped, 1 not run.\n');
    expect(text).toContain('| recipes/b | not run | AC2 not run | Left out by `--grep x`. |\n');
    expect(text).toContain('3 claimed: 1 proven, 0 refuted, 1 unproven, 0 blocked, 1 not run.\n');
    expect(text).toContain('### unproven\n\n- AC3 of recipes/c: It \\| dances. ');
    expect(text).toContain('### not run\n\n- AC2 of recipes/b: It sings. ');
    expect(readSuiteIndex(dir)?.entries.slice(1)).toEqual(entries.slice(1));
  });

  test('the suite index of a running suite is unknown, even if recipes have passed', async () => {
    const dir = directory();
    const entries = [{ name: 'a', summary: await summaryOf({ status: 'pass' }) }];
    const suite = writeSuiteIndex(dir, entries, {}, { state: 'running' });
    expect(suiteResultModel.safeParse(suite).error).toBeUndefined();
    expect(suite.state).toBe('running');
    const text = readFileSync(join(dir, 'index.md'), 'utf8');
    expect(text).toContain('# Recipes: 1 planned, 1 finished: unknown\n');
    expect(text).toContain('has not ended');
  });

  test('the suite index has the time and the commits of its packages', async () => {
    const dir = directory();
    const clean = { git_ref: 'a1b2c3d', git_dirty: false, tree_digest: 'sha256:1' };
    const dirty = { git_ref: 'a1b2c3d', git_dirty: true, git_changes: ['src/shop.ts'], tree_digest: 'sha256:2' };
    const entries: SuiteEntry[] = [
      { name: 'a', summary: await summaryOf({ status: 'pass', ...clean }) },
      { name: 'b', summary: await summaryOf({ status: 'pass', startedAt: '2026-03-04T05:06:06.000Z', ...dirty }) },
      { name: 'c', summary: await summaryOf({ status: 'pass', ...clean }) },
    ];
    const suite = writeSuiteIndex(dir, entries, { page: suitePage });
    expect(suiteResultModel.safeParse(suite).error).toBeUndefined();
    expect(suite).toMatchObject({ status: 'pass', started_at: '2026-03-04T05:06:06.000Z', commits: [clean, dirty] });
    const lines = ['Run of 2026-03-04T05:06:06.000Z', 'Commit: a1b2c3d, clean', 'Commit: a1b2c3d, dirty: src/shop.ts'];
    expect(readFileSync(join(dir, 'index.md'), 'utf8')).toContain(`passed\n\n${lines.join('\n\n')}\n\n3 planned`);
    const page = readFileSync(join(dir, 'index.html'), 'utf8');
    for (const line of lines) expect(page).toContain(`<p class="eyebrow">${line}</p>`);
  });

  test('the suite index of a run without packages has the time when it was written', () => {
    const before = new Date().toISOString();
    const { started_at, commits } = writeSuiteIndex(directory(), [{ name: 'a' }], {}, { state: 'running' });
    expect([started_at >= before && started_at <= new Date().toISOString(), commits]).toEqual([true, undefined]);
  });

  test('the title of the suite index says that the run failed when it had problems outside its recipes', async () => {
    const dir = directory();
    const problems = ['work tree 1 of 2: a is of commit 1.', 'work tree 2 of 2: b is of commit 2.'];
    const suite = writeSuiteIndex(
      dir,
      [{ name: 'a', summary: await summaryOf({ status: 'pass' }) }],
      { page: suitePage },
      { problems },
    );
    expect(suite).toMatchObject({ status: 'unknown', totals: { declared: 1, passed: 1, unknown: 0 }, problems });
    expect(readFileSync(join(dir, 'index.md'), 'utf8')).toContain('# Recipes: 1 of 1 passed, but the run failed\n');
    expect(readFileSync(join(dir, 'index.html'), 'utf8')).toContain('<h1>1 of 1 recipes passed, but the run failed</h1>');
  });

  test('a suite index whose totals omit a recipe does not fit the model', () => {
    const dir = directory();
    const suite = writeSuiteIndex(dir, [{ name: 'a' }, { name: 'b' }]);
    const less = { ...suite, totals: { ...suite.totals, unknown: 1 } };
    expect(suiteResultModel.safeParse(less).error?.issues.map(({ path }) => path)).toEqual([['totals', 'declared']]);
  });

  test('the suite index escapes the strings of recipes', async () => {
    const dir = directory();
    const reason = '| a | [x](javascript:alert(1)) <img src=x> **b** \n\n# c ::error::d\u001b[31m';
    writeSuiteIndex(dir, [{ name: 'a|b (1)', summary: await summaryOf({ status: 'fail', reason }) }]);
    const row = readFileSync(join(dir, 'index.md'), 'utf8').split('\n')[10];
    expect(row).toBe(
      '| [a\\|b \\(1\\)](a%7Cb%20%281%29/summary.json) | fail |  | \\| a \\| \\[x\\]\\(javascript:alert\\(1\\)\\) &lt;img src=x&gt; \\*\\*b\\*\\* #&#8203; c ::error::d\\\\u\\{1b\\}\\[31m |',
    );
  });

  test('a suite index that would replace a file of another program is not written at all', () => {
    const dir = directory();
    writeFileSync(join(dir, 'index.md'), '# My notes\n');
    expect(() => writeSuiteIndex(dir, [{ name: 'a' }])).toThrow(/index\.md is a file that recipewright did not write/);
    expect(readFileSync(join(dir, 'index.md'), 'utf8')).toBe('# My notes\n');
    expect(existsSync(join(dir, 'suite.json'))).toBe(false);
  });

  test('the suite index replaces the index of an earlier run, and is not written without planned recipes', () => {
    const dir = directory();
    writeSuiteIndex(dir, []);
    expect(existsSync(join(dir, 'suite.json'))).toBe(false);
    writeSuiteIndex(dir, [{ name: 'a' }]);
    writeSuiteIndex(dir, [{ name: 'b' }]);
    expect(jsonIn(dir, 'suite.json').resolutions).toMatchObject([{ id: 'b' }]);
  });
});
