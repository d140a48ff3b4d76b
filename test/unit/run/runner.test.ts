// The runner in the config of a project appears in summary, trace and manifest. Without it, these documents name no runner.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openJournal } from '../../../src/evidence/journal.js';
import { writePackage } from '../../../src/evidence/writePackage.js';
import { plainHost } from '../../../src/hosts/plain/plainHost.js';
import { prepareRun } from '../../../src/hosts/plain/prepareRun.js';
import type { Runner } from '../../../src/run/job.js';
import { Session } from '../../../src/run/session.js';
import { systemClock } from '../../../src/system/clock.js';
import { gitRepository } from '../../support/gitRepository.js';
import { recipeOf } from '../../support/plain.js';

const recipe = recipeOf({ first: { action: 'state_read', source: 'inputs', path: '$.x', next: 'done' } }, { inputs: { x: 1 } });

async function packageBy(runner: Runner | undefined, { inRepository = false } = {}) {
  const root = mkdtempSync(join(tmpdir(), 'recipewright-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const commit = inRepository ? gitRepository(root).git('rev-parse', 'HEAD') : undefined;
  const ready = await prepareRun({ recipe, artifactsDir: root, projectRoot: root });
  if (!('loaded' in ready)) throw new Error(ready.findings[0]?.message);
  const lines: string[] = [];
  const journal = openJournal(systemClock, (line) => lines.push(line.trimEnd()));
  const host = plainHost(() => undefined, undefined, ready.loaded.plan);
  const session = new Session({ ...ready, host, journal, ...(runner ? { runner } : {}) });
  await session.runGraph();
  await session.close();
  writePackage(root, { id: 'a', recipe: ready.loaded.compiled.recipe.json, journal: lines, findArtifact: () => undefined });
  const read = (name: string) => JSON.parse(readFileSync(join(root, name), 'utf8'));
  return { commit, summary: read('summary.json'), trace: read('trace.json'), manifest: read('artifact-manifest.json') };
}

test('the runner of the config is in summary, trace and manifest', async () => {
  const runner = { name: '@shop/recipe-runner', version: '1.2.3', source: 'recipes/setup.ts', git_ref: 'abc' };
  const { summary, trace, manifest } = await packageBy(runner, { inRepository: true });
  expect([summary.status, summary.runner, trace.metadata, manifest.provenance]).toEqual(['pass', runner, { runner }, { runner }]);
  expect(trace.entries).toHaveLength(2);
});

test('the commit of the runner defaults to the commit of the project, and is unknown without a repository', async () => {
  const runner = { source: 'recipes/setup.ts' };
  const { commit, summary } = await packageBy(runner, { inRepository: true });
  expect(commit).toMatch(/^[0-9a-f]{40}$/);
  expect(summary.runner).toEqual({ ...runner, git_ref: commit });
  expect((await packageBy(runner)).manifest.provenance).toEqual({ runner: { ...runner, git_ref: 'unknown' } });
});

test('without a runner in the config, no document names one and the trace is an array', async () => {
  const { summary, trace, manifest } = await packageBy(undefined, { inRepository: true });
  expect([summary.runner, manifest.provenance, Array.isArray(trace)]).toEqual([undefined, undefined, true]);
});
