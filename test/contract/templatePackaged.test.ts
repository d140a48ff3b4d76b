// The packaged recipes of the reference, checked with all our rules.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { checkFile } from '../../src/check/checkFile.js';
import { createRegistry } from '../../src/registry/registry.js';
import { corpus } from '../unit/formats/template/goldens.js';

describe.skipIf(!corpus.exists)(`the packaged recipes of the reference${corpus.exists ? '' : ` (${corpus.skipReason})`}`, () => {
  test('the packaged recipes of the reference are valid, except for those that use a value as code', () => {
    const vocabulary = createRegistry();
    const refused = readdirSync(corpus.packaged).flatMap((name) => {
      const { findings } = checkFile(join(corpus.packaged, name), { vocabulary, projectRoot: corpus.packaged });
      return findings.map(({ code }) => `${name} ${code}`);
    });
    const wrapping = [
      'pipeline-artifact-bundle',
      'pipeline-release-readiness',
      'pipeline-release-summary',
      'pipeline-repo-health',
    ];
    expect(refused.sort()).toEqual(
      [...wrapping, 'utility-validation-wrapper'].map((name) => `${name}.json template.value_as_code`).sort(),
    );
  });
});
