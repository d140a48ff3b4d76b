// The status, the trace and the recipe of a package must agree.
import { describe, expect, test } from 'vitest';
import { checkPackage } from '../../../src/evidence/checkPackage.js';
import { directory, type Entries, formatFindings, type Json, write } from './packages.js';

const ask = { nodeId: 'ask', action: 'command', intent: 'Ask the shop', durationMs: 1, ok: true };
const end = (status: string, rest: Json = {}): Json => ({ nodeId: 'done', action: 'end', ok: true, status, ...rest });
const nodes = {
  ask: { action: 'command', intent: 'Ask the shop', cmd: 'true', next: 'done' },
  repeat: { action: 'command', intent: 'Ask {{inputs.who}} again', cmd: 'true', next: 'done' },
  done: { action: 'end', status: 'pass' },
};

/** Writes a package with a summary and a trace, and returns its findings. */
function findingsOf(summary: Json, entries: Entries): string[] {
  const dir = directory();
  const failed = entries.filter(({ ok }) => !ok).length;
  write(dir, 'recipe.json', { schema_version: 1, validate: { workflow: { entry: 'ask', nodes } } });
  write(dir, 'trace.json', entries);
  write(dir, 'summary.json', { passed: entries.length - failed, failed, ...summary });
  write(dir, 'artifact-manifest.json', { version: 1, artifacts: [] });
  return formatFindings(checkPackage(dir));
}

const mismatch = ['error artifact_package.status_mismatch /status'];
const broken = { ...ask, ok: false, error: 'It did not answer.' };

describe('the status of a package', () => {
  test.for<[what: string, summary: Json, entries: Entries]>([
    ['is pass at an end that passes', { status: 'pass' }, [ask, end('pass')]],
    ['is fail with a failed entry', { status: 'fail' }, [broken]],
    ['is fail at an end that fails', { status: 'fail' }, [ask, end('fail')]],
    ['is fail for a claim that was refuted', { status: 'fail', proof: [{ id: 'a', claim: 'b', status: 'refuted' }] }, [ask]],
    ['is fail for a cause outside the entries', { status: 'fail', cause_class: 'environment' }, []],
    ['is fail for an assertion that did not hold', { status: 'fail' }, [{ ...ask, asserts: [{ held: false }] }]],
    ['is unknown after an end that passes', { status: 'unknown' }, [ask, end('pass')]],
    ['is unknown with an empty trace', { status: 'unknown' }, []],
    ['is pass although a called flow ended as unknown', { status: 'pass' }, [{ ...end('unknown'), nodeId: 'ask/done' }, ask]],
    ['is the status of the last end', { status: 'pass' }, [end('fail'), ask, end('pass')]],
  ])('a package whose status %s has no findings', ([, summary, entries]) => {
    expect(findingsOf(summary, entries).filter((finding) => !finding.includes('unknown_trace_node'))).toEqual([]);
  });

  test.for<[what: string, summary: Json, entries: Entries]>([
    ['is pass with a failed entry', { status: 'pass' }, [broken, end('pass')]],
    ['is pass with an empty trace', { status: 'pass' }, []],
    ['is pass at an end that fails', { status: 'pass' }, [ask, end('fail')]],
    ['is pass at an end that is unknown', { status: 'pass' }, [ask, end('unknown')]],
    ['is unknown at an end that fails', { status: 'unknown' }, [ask, end('fail')]],
    ['is fail where nothing failed', { status: 'fail' }, [ask, end('pass')]],
    [
      'is fail where nothing failed and no cause is counted',
      { status: 'fail', cause_counts: { subject: 0 }, error: null },
      [ask],
    ],
  ])('a package whose status %s contradicts its trace', ([, summary, entries]) => {
    expect(findingsOf(summary, entries)).toEqual(mismatch);
  });
});

describe('an entry of a trace', () => {
  test('an entry must have the intent of its node, unless that intent has a reference', () => {
    const repeat = { ...ask, nodeId: 'repeat', intent: 'Ask the owner again' };
    expect(findingsOf({ status: 'pass' }, [ask, repeat, end('pass', { intent: 'Finish' })])).toEqual([]);
    expect(findingsOf({ status: 'pass' }, [{ ...ask, intent: 'Delete the shop' }, end('pass')])).toEqual([
      'warning artifact_package.trace_intent_mismatch /0/intent',
    ]);
  });

  test('an entry may have no duration, but not a negative one', () => {
    const { durationMs: _, ...timeless } = ask;
    expect(findingsOf({ status: 'pass' }, [timeless, end('pass')])).toEqual([]);
    expect(findingsOf({ status: 'pass' }, [{ ...ask, durationMs: -1 }, end('pass')])).toEqual([
      'error artifact_package.invalid_trace_entry /0/durationMs',
    ]);
  });

  test('a field of the trace or the summary in another casing has a finding', () => {
    const { nodeId, ...rest } = ask;
    expect(findingsOf({ status: 'pass' }, [{ ...rest, node_id: nodeId }, end('pass')])).toEqual([
      'error artifact_package.field_casing /0/node_id',
    ]);
    expect(findingsOf({ status: 'pass', started_at: 'x' }, [ask, end('pass')])).toEqual([
      'error artifact_package.field_casing /started_at',
    ]);
  });
});
