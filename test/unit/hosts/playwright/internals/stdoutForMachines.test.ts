import { expect, test } from 'vitest';
import { isStdoutForMachines } from '../../../../../src/hosts/playwright/internals/stdoutForMachines.js';

const ownReporter = ['recipewright/playwright/reporter'] as const;

test('stdout is not machine-readable if every reporter writes for people or to a file', () => {
  expect(isStdoutForMachines([['list'], ['html'], ['blob'], ownReporter], {})).toBe(false);
  expect(isStdoutForMachines([ownReporter], {})).toBe(false);
  expect(isStdoutForMachines([['dot'], ['json', { outputFile: 'report.json' }], ownReporter], {})).toBe(false);
  expect(isStdoutForMachines([['junit'], ownReporter], { PLAYWRIGHT_JUNIT_OUTPUT_FILE: 'a.xml' })).toBe(false);
  expect(isStdoutForMachines([['junit'], ownReporter], { PLAYWRIGHT_JUNIT_OUTPUT_NAME: 'a.xml' })).toBe(false);
});

test('stdout is machine-readable if a report goes to stdout or a reporter is unknown', () => {
  expect(isStdoutForMachines([['json'], ownReporter], {})).toBe(true);
  expect(isStdoutForMachines([['list'], ['junit'], ownReporter], {})).toBe(true);
  expect(isStdoutForMachines([['junit'], ownReporter], { PLAYWRIGHT_JSON_OUTPUT_FILE: 'a.json' })).toBe(true);
  expect(isStdoutForMachines([['list'], ['./own.ts'], ownReporter], {})).toBe(true);
  expect(isStdoutForMachines([['list'], ownReporter], { PW_TEST_REPORTER: '/editor/reporter.js' })).toBe(true);
});
