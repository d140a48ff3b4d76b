// Splitting, filling, coercing and running, case by case as the reference does it.
import { homedir } from 'node:os';
import { describe, expect, test } from 'vitest';
import { corpus, type Golden, goldens } from './goldens.js';
import { kinds, replay } from './recordedCommands.js';

const cases = goldens('argv-cases.jsonl');

describe.skipIf(!corpus.isThere)(`the recorded cases of the reference${corpus.isThere ? '' : ` (${corpus.why})`}`, () => {
  test('are all of a kind that is replayed here', () => {
    expect(cases.length).toBeGreaterThan(250);
    expect([...new Set(cases.map(({ request }) => request.op))].sort()).toEqual([...kinds].sort());
  });

  test.for(cases)('$id comes out alike', async (recorded) => {
    const golden = placed(recorded);
    expect(await replay(golden, { compat: true, cwd: '/tmp' })).toEqual(golden.v033);
  });
});

/** A pause of 80 ms between two writes is none to a reader on a busy machine; the recorder replaced directories in some of the texts. */
function placed(recorded: Golden): Golden {
  const text = JSON.stringify(recorded).replaceAll('),80)', '),800)').replaceAll('$TMP', '/tmp');
  return JSON.parse(text.replaceAll('$LAB/pi-actors-home', homedir())) as Golden;
}
