// A Vitest reporter that adds what Vitest's JSON report leaves out: errors that come outside of any test, which fail the run.
import { readFileSync, writeFileSync } from 'node:fs';

const file = process.env.RECIPEWRIGHT_TEST_JSON;

export default class VitestErrors {
  onTestRunEnd(_modules, errors) {
    if (file === undefined || errors.length === 0) return;
    // Reporters end side by side: the JSON report may come later, so this is a file beside it.
    const texts = errors.map(({ stack, message, VITEST_TEST_PATH: during = '', VITEST_TEST_NAME: test = '' }) =>
      [during, test, stack ?? message].filter(Boolean).join('\n'),
    );
    writeFileSync(`${file}.errors`, JSON.stringify(texts));
  }
}

/** The errors of the run that wrote `report`. */
export function readErrors(report) {
  try {
    return JSON.parse(readFileSync(`${report}.errors`, 'utf8'));
  } catch (error) {
    if (error.code === 'ENOENT') return [];
    throw error;
  }
}
