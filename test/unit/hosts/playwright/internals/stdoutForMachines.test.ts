import { expect, test } from 'vitest';
import { isStdoutForMachines } from '../../../../../src/hosts/playwright/internals/stdoutForMachines.js';

const ours = ['recipewright/playwright/reporter'] as const;

test('stdout is not machine-readable if every reporter writes for people or to a file', () => {
  expect(isStdoutForMachines([['list'], ['html'], ['blob'], ours], {})).toBe(false);
  expect(isStdoutForMachines([ours], {})).toBe(false);
  expect(isStdoutForMachines([['dot'], ['json', { outputFile: 'report.json' }], ours], {})).toBe(false);
  expect(isStdoutForMachines([['junit'], ours], { PLAYWRIGHT_JUNIT_OUTPUT_FILE: 'a.xml' })).toBe(false);
  expect(isStdoutForMachines([['junit'], ours], { PLAYWRIGHT_JUNIT_OUTPUT_NAME: 'a.xml' })).toBe(false);
});

test('stdout is machine-readable if a report goes to stdout or a reporter is unknown', () => {
  expect(isStdoutForMachines([['json'], ours], {})).toBe(true);
  expect(isStdoutForMachines([['list'], ['junit'], ours], {})).toBe(true);
  expect(isStdoutForMachines([['junit'], ours], { PLAYWRIGHT_JSON_OUTPUT_FILE: 'a.json' })).toBe(true);
  expect(isStdoutForMachines([['list'], ['./own.ts'], ours], {})).toBe(true);
  expect(isStdoutForMachines([['list'], ours], { PW_TEST_REPORTER: '/editor/reporter.js' })).toBe(true);
});
