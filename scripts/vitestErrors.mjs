// A Vitest reporter for the errors that Vitest's JSON report does not contain: errors outside any test, which fail the run.
import { readFileSync, writeFileSync } from 'node:fs';

const file = process.env.RECIPEWRIGHT_TEST_JSON;

export default class VitestErrors {
  onTestRunEnd(_modules, errors) {
    if (file === undefined || errors.length === 0) return;
    // Uses a separate file, because reporters run in parallel and the JSON report may be written later.
    const messages = errors.map(({ stack, message, VITEST_TEST_PATH: during = '', VITEST_TEST_NAME: test = '' }) =>
      [during, test, stack ?? message].filter(Boolean).join('\n'),
    );
    writeFileSync(`${file}.errors`, JSON.stringify(messages));
  }
}

/** Reads the errors of the run that wrote `report`. */
export function readErrors(report) {
  try {
    return JSON.parse(readFileSync(`${report}.errors`, 'utf8'));
  } catch (error) {
    if (error.code === 'ENOENT') return [];
    throw error;
  }
}
