// Reads the report of Playwright's JSON reporter as a flat list of tests.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, relative, resolve, sep } from 'node:path';

export type JsonStep = { title: string; error?: { message: string }; steps?: JsonStep[] };
export type JsonResult = { status: string; retry: number; errors: { message: string; location?: Place }[]; steps?: JsonStep[] };
type Place = { file: string; line: number; column: number };
type JsonSpec = {
  title: string;
  ok: boolean;
  file: string;
  line: number;
  column: number;
  tests: { projectName: string; results: JsonResult[] }[];
};
type JsonSuite = { title: string; file: string; specs: JsonSpec[]; suites?: JsonSuite[] };
export type JsonReport = {
  config: { configFile: string; rootDir: string };
  suites: JsonSuite[];
  errors: { message: string }[];
  stats: { expected: number; unexpected: number; flaky: number; skipped: number };
};

/** `file` is relative to the project. */
export type TestReport = { title: string; ok: boolean; file: string; line: number; column: number; results: JsonResult[] };

export function readReport(file: string): JsonReport | undefined {
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as JsonReport) : undefined;
}

export function testsIn(report: JsonReport | undefined): TestReport[] {
  const listSpecs = ({ specs, suites = [] }: JsonSuite): JsonSpec[] => [...specs, ...suites.flatMap(listSpecs)];
  if (!report) return [];
  const { configFile, rootDir } = report.config;
  const toProjectPath = (file: string) => relative(dirname(configFile), resolve(rootDir, file)).split(sep).join('/');
  return report.suites.flatMap(listSpecs).map(({ tests, title, ok, file, line, column }) => {
    return { title, ok, file: toProjectPath(file), line, column, results: tests.flatMap(({ results }) => results) };
  });
}
