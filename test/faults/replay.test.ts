// F60: a replay of the journal over the recipe takes the same path as the run, and the trace agrees with the journal.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readPackage } from '../../src/evidence/readPackage.js';
import { judgeLines } from '../../src/evidence/verdict.js';
import { runRecipe } from '../../src/hosts/plain/runRecipe.js';
import { verifyPackage } from '../../src/verify/verifyPackage.js';
import { runCount, timeoutMs } from '../property/runCount.js';
import { directory } from '../unit/evidence/packages.js';
import { randomRecipe } from './randomRecipe.js';
import { slowTrace } from './slowTrace.js';

test('F60 the journal of a random recipe replays to the same path', { timeout: timeoutMs }, async () => {
  const root = directory();
  const seen = new Set<string>();
  const property = fc.asyncProperty(randomRecipe, async (recipe) => {
    rmSync(join(root, 'out'), { recursive: true, force: true });
    mkdirSync(root, { recursive: true });
    writeFileSync(join(root, 'a.recipe.json'), JSON.stringify(recipe));
    const result = await runRecipe(join(root, 'a.recipe.json'), { artifactsDir: join(root, 'out'), projectRoot: root });
    if (!result.ran) throw new Error(JSON.stringify(result.findings));
    const { status, verdict, findings } = verifyPackage(join(root, 'out'));
    expect(findings).toEqual([]);
    expect({ status, verdict }).toEqual({ status: 'verified', verdict: result.summary.status });
    const { trace = [], journal, summary } = readPackage(join(root, 'out'));
    expect(trace).toEqual(slowTrace(journal));
    const failed = trace.filter(({ ok }) => !ok);
    expect(Object.values(summary?.cause_counts ?? {}).reduce((sum, count) => sum + count, 0)).toBe(failed.length);
    expect(failed.every((entry) => entry.cause_class !== undefined)).toBe(true);
    if (failed.length > 0) expect(judgeLines(journal).verdict.status).not.toBe('pass');
    for (const line of journal)
      for (const fact of ['retried', 'tolerated', 'final', 'status'])
        if (fact in line) seen.add(`${fact} ${'status' in line ? line.status : ''}`.trim());
    if (trace.some(({ attempts = [] }) => attempts.some(({ entries = [] }) => entries.length > 0)))
      seen.add('entries of an attempt');
  });
  await fc.assert(property, runCount(60));
  // Without failures and retries, the replays would prove little.
  expect([...seen].sort()).toEqual(
    expect.arrayContaining(['entries of an attempt', 'retried', 'status fail', 'status pass', 'tolerated']),
  );
});
