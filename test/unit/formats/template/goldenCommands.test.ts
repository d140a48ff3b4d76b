// Replays the recorded cases of the reference implementation for splitting, filling, converting and running commands.
import { homedir } from 'node:os';
import { describe, expect, test } from 'vitest';
import { corpus, type Golden, goldens } from './goldens.js';
import { kinds, replay } from './recordedCommands.js';

const cases = goldens('argv-cases.jsonl');

describe.skipIf(!corpus.exists)(`the recorded commands${corpus.exists ? '' : ` (${corpus.skipReason})`}`, () => {
  test('this file replays every kind of recorded command', () => {
    expect(cases.length).toBeGreaterThan(250);
    expect([...new Set(cases.map(({ request }) => request.op))].sort()).toEqual([...kinds].sort());
  });

  test.for(cases)('the recorded case $id has the same result in compat', async (recorded) => {
    const golden = adaptToMachine(recorded);
    expect(await replay(golden, { compat: true, cwd: '/tmp' })).toEqual(golden.v033);
  });
});

/**
 * Makes a pause of 80 ms between two writes longer, because a busy machine would read both writes as one. Puts real directories
 * into the placeholders of the recorder.
 */
function adaptToMachine(recorded: Golden): Golden {
  const text = JSON.stringify(recorded).replaceAll('),80)', '),800)').replaceAll('$TMP', '/tmp');
  return JSON.parse(text.replaceAll('$LAB/pi-actors-home', homedir())) as Golden;
}
