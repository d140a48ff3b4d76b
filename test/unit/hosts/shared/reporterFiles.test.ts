// The files that the reporters of a test run write, by their config and the environment.
import { expect, test } from 'vitest';
import { listPaths, listReporterFiles, listReporterFilesOfEnv } from '../../../../src/hosts/shared/reporterFiles.js';

test('the files and folders of reporters are read from their options, except for the recipe reporter', () => {
  const reporters = [
    'list',
    ['line'],
    ['junit', { outputFile: 'out/junit.xml' }],
    ['html', { outputFolder: 'html', open: 'never' }],
    ['blob', { outputDir: 'blobs' }],
    ['recipewright/playwright/reporter', { outputDir: 'results' }],
    [class {}, {}],
  ];
  expect(listReporterFiles(reporters)).toEqual(['out/junit.xml', 'html', 'blobs']);
  expect(listReporterFiles('list')).toEqual([]);
  expect(listReporterFiles(undefined)).toEqual([]);
});

test('an output option of Vitest is one path, or one path for each reporter', () => {
  expect([undefined, '', 'a.xml', { junit: 'a.xml', json: 'b.json' }].map(listPaths)).toEqual([
    [],
    [],
    ['a.xml'],
    ['a.xml', 'b.json'],
  ]);
});

test('the files of Playwright reporters are read from the environment', () => {
  const env = { PLAYWRIGHT_JUNIT_OUTPUT_FILE: 'a.xml', PLAYWRIGHT_HTML_OUTPUT_DIR: 'html', PLAYWRIGHT_HTML_OPEN: 'never' };
  expect(listReporterFilesOfEnv(env)).toEqual(['a.xml', 'html']);
});
