// The lanes of the test commands. Each test lane counts its tests in its own report, so that a run without tests is not a success.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { modulesWith, nodeIn } from './otherVersions.mjs';
import { root, run, runTool } from './run.mjs';
import { readErrors } from './vitestErrors.mjs';

// By default, "biome ci" prints colors even into a log file.
const plain = process.stdout.isTTY ? [] : ['--colors=off'];

/** The files that are most sensitive to versions of Playwright and Node. "npm run test:all" runs every file with each version. */
const withOldest = [
  'sideBySide',
  'setupModule.thorough',
  'selection',
  'retry.thorough',
  'death.thorough',
  'invalid.thorough',
  'catalogs.thorough',
  'recipeFixture',
  'hudAndLiveSteps.thorough',
  'merge.thorough',
];
const onNode24 = ['sideBySide'];
const selectFiles = (names, more = []) =>
  process.env.RECIPEWRIGHT_ALL ? [] : [...names.map((name) => `test/e2e/${name}.test.ts`), ...more];

/**
 * Test files with this ending take long and test details of areas that a quicker file also tests. "npm test" skips these files, and
 * "npm run test:versions" runs each of them with another version, so that CI runs every file.
 */
const thorough = '.thorough.test.ts';
const thoroughIn = (...folders) =>
  folders.flatMap((folder) =>
    readdirSync(path.join(root, 'test', folder), { recursive: true })
      .filter((name) => name.endsWith(thorough))
      .map((name) => `test/${folder}/${name}`),
  );
/** With this variable, the configurations of Vitest and Playwright skip these files. */
const withoutThorough = ({ rest }) => (process.env.RECIPEWRIGHT_ALL || rest.length > 0 ? {} : { RECIPEWRIGHT_QUICK: '1' });
const errorsReporter = path.join(root, 'scripts/vitestErrors.mjs');
const vitestRun = (file) => [
  'run',
  '--reporter=default',
  '--reporter=json',
  `--outputFile.json=${file}`,
  `--reporter=${errorsReporter}`,
];

/** The lowest version of the peer range in package.json. */
const oldestPlaywright = '1.63.0';
/** The same version as in the lane e2e, because a newly published version may not be installable yet. */
const { packages: locked } = JSON.parse(readFileSync(path.join(root, 'package-lock.json'), 'utf8'));
const ownPlaywright = locked['node_modules/@playwright/test'].version;

/**
 * `in` is the command that runs a lane: "test" for npm test, "versions" for npm run test:versions. "npm run test:all" runs every
 * lane.
 */
export const lanes = [
  { name: 'lint', in: 'test', what: 'biome ci', tool: '@biomejs/biome/bin/biome', args: () => ['ci', ...plain, '.'] },
  { name: 'types', in: 'test', what: 'tsc --noEmit', tool: 'typescript/bin/tsc', args: () => ['--noEmit'] },
  { name: 'bench', in: 'bench', what: 'bench/run --check', tool: '../bench/run/run.mjs', args: () => ['--check'] },
  {
    name: 'limits',
    in: 'bench',
    what: 'bench/limits --check',
    tool: '../bench/limits/run.mjs',
    browser: true,
    args: () => ['--check'],
  },
  {
    name: 'unit',
    in: 'test',
    what: 'vitest run',
    tool: 'vitest/vitest.mjs',
    args: vitestRun,
    env: withoutThorough,
    report: readVitest,
  },
  {
    name: 'vitest5',
    in: 'versions',
    what: 'vitest run test/vitest with Vitest 5, Vite 8 and Node 24',
    tool: 'vitest/vitest.mjs',
    args: (file) => [...vitestRun(file), 'test/vitest'],
    packages: ['vitest@5', 'vite@8', 'node@24'],
    env: ({ modules }) => ({ RECIPEWRIGHT_VITEST_LANE: path.dirname(modules) }),
    report: readVitest,
  },
  {
    name: 'vite7',
    in: 'versions',
    what: 'vitest run test/vitest with Vitest 4 and Vite 7',
    tool: 'vitest/vitest.mjs',
    args: (file) => [...vitestRun(file), 'test/vitest/outcomes.test.ts', ...thoroughIn('vitest')],
    packages: ['vitest@4', 'vite@7'],
    env: ({ modules }) => ({ RECIPEWRIGHT_VITEST_LANE: path.dirname(modules) }),
    report: readVitest,
  },
  {
    name: 'unit24',
    in: 'versions',
    what: 'vitest run with Node 24',
    tool: 'vitest/vitest.mjs',
    args: (file) => [...vitestRun(file), ...thoroughIn('unit', 'property', 'contract', 'faults', 'browser')],
    packages: ['node@24'],
    node: true,
    env: () => ({}),
    report: readVitest,
  },
  {
    name: 'e2e',
    in: 'test',
    what: 'playwright test',
    tool: '@playwright/test/cli.js',
    args: () => ['test'],
    env: withoutThorough,
    report: readPlaywright,
  },
  {
    name: 'oldest',
    in: 'versions',
    what: `playwright test with Playwright ${oldestPlaywright}`,
    tool: '@playwright/test/cli.js',
    args: () => ['test', '--project=e2e', ...selectFiles(withOldest)],
    packages: [`@playwright/test@${oldestPlaywright}`],
    report: readPlaywright,
  },
  {
    name: 'node24',
    in: 'versions',
    what: 'playwright test with Node 24',
    tool: '@playwright/test/cli.js',
    args: () => ['test', '--project=e2e', ...selectFiles(onNode24, thoroughIn('e2e'))],
    packages: [`@playwright/test@${ownPlaywright}`, 'node@24'],
    node: true,
    report: readPlaywright,
  },
];

/**
 * Runs one lane and prints its output. The result has a `problem` when the lane failed, and `counts` and `tests` for a test lane.
 */
export async function runLane(lane, rest) {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'recipewright-lane-'));
  const file = path.join(folder, 'report.json');
  // With this variable, the Playwright configuration adds a JSON reporter. The option "--reporter" would replace its reporters.
  // On a terminal, the HTML report of a failed run would wait for Ctrl+C.
  const env = { RECIPEWRIGHT_TEST_JSON: file, PLAYWRIGHT_HTML_OPEN: 'never' };
  const toolResult = await runLaneTool(lane, file, rest, env);
  const result = { name: lane.name, ms: toolResult.ms, ...judge(lane, toolResult, file) };
  rmSync(folder, { recursive: true, force: true });
  return result;
}

async function runLaneTool(lane, file, rest, env) {
  const args = [...lane.args(file), ...rest];
  if (!lane.packages) return runTool(lane.tool, args, { show: true, env: { ...env, ...lane.env?.({ rest }) } });
  const startedAt = performance.now();
  try {
    const modules = await modulesWith(lane.name, lane.packages);
    const program = lane.node ? nodeIn(modules) : process.execPath;
    const tool = path.join(root, 'node_modules', lane.tool);
    const laneEnv = lane.env?.({ modules }) ?? { RECIPEWRIGHT_MODULES: modules };
    return await run(program, [tool, ...args], { show: true, env: { ...env, ...laneEnv } });
  } catch (error) {
    console.error(error.message);
    return { ms: performance.now() - startedAt, problem: 'the packages of the lane could not be installed' };
  }
}

function judge(lane, { problem }, file) {
  if (!lane.report) return { problem };
  const read = readReport(lane, file);
  if (!read) return { counts: countOneFailure(), problem: [problem, 'no report was written'].filter(Boolean).join('; ') };
  const { counts, tests } = read;
  if (counts.passed + counts.failed === 0) return { counts: countOneFailure(), problem: 'no tests ran' };
  // A crash or an error outside any test must also count in the total.
  if (problem && counts.failed === 0) return { counts: { ...counts, failed: 1 }, problem: `${problem}, though no test failed` };
  return { counts, tests, problem: problem ?? (counts.failed > 0 ? 'tests failed' : undefined) };
}

function countOneFailure() {
  return { passed: 0, failed: 1, skipped: 0 };
}

function readReport(lane, file) {
  try {
    return lane.report(JSON.parse(readFileSync(file, 'utf8')), readErrors(file));
  } catch {
    return undefined; // ENOENT or SyntaxError: the tool ended before it had written its report.
  }
}

// A test file that cannot be loaded has no tests, so it counts as one failed test.
function readVitest({ numPassedTests, numFailedTests, numPendingTests, numTodoTests, testResults }, errors) {
  const broken = testResults.filter(
    ({ status, assertionResults }) => status === 'failed' && !assertionResults.some((test) => test.status === 'failed'),
  );
  const tests = testResults.flatMap(({ name, assertionResults }) =>
    assertionResults.map(({ fullName, duration, status, failureMessages }) => ({
      title: `${path.relative(root, name)}: ${fullName}`,
      ms: duration ?? 0,
      failure: status === 'failed' ? failureMessages.join('\n') : undefined,
    })),
  );
  for (const { name, message } of broken) tests.push({ title: path.relative(root, name), ms: 0, failure: message });
  for (const failure of errors) tests.push({ title: 'an error outside any test', ms: 0, failure });
  const failed = numFailedTests + broken.length + errors.length;
  return { counts: { passed: numPassedTests, failed, skipped: numPendingTests + numTodoTests }, tests };
}

function readPlaywright({ stats, errors, suites }) {
  const counts = { passed: stats.expected + stats.flaky, failed: stats.unexpected + errors.length, skipped: stats.skipped };
  const outside = errors.map(({ message }) => ({ title: 'an error outside any test', ms: 0, failure: message }));
  return { counts, tests: [...suites.flatMap((suite) => playwrightTests(suite, suite.file)), ...outside] };
}

function playwrightTests({ specs, suites = [] }, file) {
  const specTests = specs.flatMap(({ title, tests }) =>
    tests.flatMap(({ status, results }) =>
      results.map(({ duration, errors }) => ({
        title: `${file}: ${title}`,
        ms: duration,
        failure: status === 'unexpected' ? errors.map(({ message }) => message).join('\n') : undefined,
      })),
    ),
  );
  return [...specTests, ...suites.flatMap((suite) => playwrightTests(suite, file))];
}
