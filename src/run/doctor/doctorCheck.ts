// The result of one check of the doctor, and the fix for each check that can fail.

type Category = 'tools' | 'harness' | 'runtime' | 'fixtures' | 'isolation' | 'secrets';

/** Begins with the category of the check. */
export type CheckId = `${Category}.${string}`;

export type Check = {
  id: CheckId;
  status: 'pass' | 'fail' | 'warn' | 'skip';
  category: Category;
  message: string;
  /** The next step for the user. Every check with the status `fail` or `warn` has a fix. */
  fix?: string;
};

export function pass(id: CheckId, message: string): Check {
  return { id, status: 'pass', category: categoryOf(id), message };
}

/** A check that the doctor did not make, or whose result does not matter here. */
export function skip(id: CheckId, message: string): Check {
  return { ...pass(id, message), status: 'skip' };
}

export function fail(id: CheckId, message: string, fix = fixFor(id)): Check {
  return { ...pass(id, message), status: 'fail', fix };
}

/** Recipes can run, but some of them cannot, or their evidence is incomplete. */
export function warn(id: CheckId, message: string, fix = fixFor(id)): Check {
  return { ...fail(id, message, fix), status: 'warn' };
}

function categoryOf(id: CheckId): Category {
  return id.slice(0, id.indexOf('.')) as Category;
}

function fixFor(id: CheckId): string {
  const fix = fixes[id];
  if (fix === undefined) throw new Error(`There is no fix for ${id}.`);
  return fix;
}

// One table for the doctor and for refused runs, so that both print the same fix.
export const fixes: Readonly<Record<string, string>> = {
  'tools.node': 'Install Node 20.19 or later.',
  'tools.shell': 'Install a POSIX shell as /bin/sh, or write commands as "argv", which needs no shell.',
  'tools.git': 'Install git to compare evidence with a commit.',
  'tools.python': 'Install Python 3 as "python3" in PATH to run recipes with logic in Python.',
  'tools.playwright': 'Install Playwright in the project: npm install --save-dev @playwright/test',
  'tools.browser': 'Run "npx playwright install chromium", or set RECIPEWRIGHT_BROWSER to a Chrome, Chromium or Edge program.',
  'tools.video':
    'Run "npx playwright install chromium", or set RECIPEWRIGHT_BROWSER to a current Chrome, Chromium or Edge program. Until then, a run saves single frames instead of videos.',
  'harness.version': 'Run the version of the project: npx recipewright',
  'harness.config': 'Correct the config. The README lists its options.',
  'harness.setup': 'Correct the setup module. It needs "export default defineSetup({ … })".',
  'harness.schemas': 'Reinstall recipewright: npm install --save-dev recipewright',
  'runtime.recipe': 'Run "npx recipewright validate" to see every finding with its place.',
  'runtime.actions': 'Define the action in the setup module, and pass the module with --setup or name it in the config.',
  'runtime.preconditions': 'Declare the precondition with a checker in the setup module.',
  'runtime.programs': 'Install the program, or check its name.',
  'fixtures.uses': 'Create the file at the path that the recipe names, or pass the project root with --project-root.',
  'fixtures.libraries': 'Correct the path in "libraries" of the config, or download the library.',
  'fixtures.watched': 'Create the directory, or start the program that writes the file before the recipe reads the file.',
  'isolation.temp': 'Make the directory writable, or set TMPDIR to a writable directory.',
  'isolation.results': 'Make the directory writable, or run as a user who may write there.',
  'isolation.disk': 'Free some space on this disk.',
  'isolation.processes': 'Mount /proc, so that recipewright can find and end the processes that a command leaves running.',
  'isolation.runs': 'Wait for the other run to end, and give each run its own --artifacts-dir.',
};
