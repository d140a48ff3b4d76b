// Real processes, case by case as the reference runs them, but for how long they take.
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Layer } from '../../../../src/formats/template/templateValues.js';
import { runTemplate } from '../../../../src/hosts/plain/runTemplate.js';
import { corpus, type Golden, goldens, inTexts, plain } from './goldens.js';

const all = goldens('exec-cases.jsonl');
const recorded = all.filter(({ v033 }) => typeof v033 === 'object');
const unrecorded = all.filter(({ v033 }) => typeof v033 === 'string');

describe.skipIf(!corpus.isThere)(`the recorded runs of the reference${corpus.isThere ? '' : ` (${corpus.why})`}`, () => {
  let dir: string;
  beforeAll(() => {
    dir = mkdtempSync(join(tmpdir(), 'recipewright-'));
    process.env.ORA = 'envval';
  });
  afterAll(() => {
    rmSync(dir, { recursive: true });
    delete process.env.ORA;
  });

  test('are there, and the four without a record are known', () => {
    expect(recorded.length).toBe(25);
    expect(unrecorded.map(({ id }) => id)).toEqual(['exec/utf8-big', 'exec/big-5MB-pipe', 'exec/truncate-60KB', 'exec/epipe']);
  });

  test.for(recorded)('$id runs alike', async (golden) => {
    const { request, v033 } = inDir(golden, dir);
    const run = await runTemplate(request.template, request.values as Layer, { compat: true, cwd: dir });
    const { id: _, ms: __, ...wanted } = v033;
    expect(plain(run, inTexts)).toEqual(wanted);
  });

  test('a command beside one that is refused runs on, as it does in the reference', async () => {
    await expect.poll(() => existsSync(join(dir, 'ora-late'))).toBe(true);
  });

  test.for(unrecorded)('$id, whose record was too long to keep, succeeds', async ({ id, request }) => {
    const run = await runTemplate(request.template, request.values as Layer, { compat: true, cwd: dir });
    expect({ id, ok: run.ok, truncated: run.details?.truncated }).toEqual({ id, ok: true, truncated: /big$|60KB/.test(id) });
    const last = { 'exec/big-5MB-pipe': '\n5242880', 'exec/epipe': '\nxxx' }[id];
    if (last !== undefined) expect(run.text).toBe(last);
  });
});

function inDir(golden: Golden, dir: string): Golden {
  return JSON.parse(JSON.stringify(golden).replaceAll('/tmp/ora-', `${dir}/ora-`)) as Golden;
}
