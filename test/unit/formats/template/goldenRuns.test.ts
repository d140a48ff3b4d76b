// Runs the recorded cases of the reference implementation with real processes and compares everything except the durations.
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Layer } from '../../../../src/formats/template/templateValues.js';
import { runTemplate } from '../../../../src/hosts/plain/runTemplate.js';
import { corpus, type Golden, goldens, toRecordedCall, toRecordedRun } from './goldens.js';

const all = goldens('exec-cases.jsonl');
const recorded = all.filter(({ v033 }) => typeof v033 === 'object');
const unrecorded = all.filter(({ v033 }) => typeof v033 === 'string');

describe.skipIf(!corpus.exists)(`the recorded runs${corpus.exists ? '' : ` (${corpus.skipReason})`}`, () => {
  let dir: string;
  beforeAll(() => {
    dir = mkdtempSync(join(tmpdir(), 'recipewright-'));
    process.env.ORA = 'envval';
  });
  afterAll(() => {
    rmSync(dir, { recursive: true });
    delete process.env.ORA;
  });

  test('the corpus has 25 recorded runs and four runs without a recorded output', () => {
    expect(recorded.length).toBe(25);
    expect(unrecorded.map(({ id }) => id)).toEqual(['exec/utf8-big', 'exec/big-5MB-pipe', 'exec/truncate-60KB', 'exec/epipe']);
  });

  test.for(recorded)('the recorded run $id has the same result in compat', async (golden) => {
    const { request, v033 } = inDir(golden, dir);
    const run = await runTemplate(request.template, request.values as Layer, { compat: true, cwd: dir });
    const { id: _, ms: __, ...expected } = v033;
    expect(toRecordedRun(run, toRecordedCall)).toEqual(expected);
  });

  test('in compat, a command continues when a parallel command is refused, like in the reference', async () => {
    await expect.poll(() => existsSync(join(dir, 'ora-late'))).toBe(true);
  });

  test.for(unrecorded)('the run $id, whose output is too long for the corpus, succeeds', async ({ id, request }) => {
    const run = await runTemplate(request.template, request.values as Layer, { compat: true, cwd: dir });
    expect({ id, ok: run.ok, truncated: run.details?.truncated }).toEqual({ id, ok: true, truncated: /big$|60KB/.test(id) });
    const last = { 'exec/big-5MB-pipe': '\n5242880', 'exec/epipe': '\nxxx' }[id];
    if (last !== undefined) expect(run.text).toBe(last);
  });
});

function inDir(golden: Golden, dir: string): Golden {
  return JSON.parse(JSON.stringify(golden).replaceAll('/tmp/ora-', `${dir}/ora-`)) as Golden;
}
