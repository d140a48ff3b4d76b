// One thing a doctor looked at.

type Category = 'tools' | 'harness' | 'runtime' | 'fixtures' | 'isolation' | 'secrets';

/** Its category is what its id begins with. */
export type CheckId = `${Category}.${string}`;

export type Check = {
  id: CheckId;
  status: 'pass' | 'fail' | 'warn' | 'skip';
  category: Category;
  message: string;
  /** What to do next; every check that failed has one. */
  fix?: string;
};

export function pass(id: CheckId, message: string): Check {
  return { id, status: 'pass', category: categoryOf(id), message };
}

/** It was not looked at, or does not matter here. */
export function skip(id: CheckId, message: string): Check {
  return { ...pass(id, message), status: 'skip' };
}

export function fail(id: CheckId, message: string, fix = fixFor(id)): Check {
  return { ...pass(id, message), status: 'fail', fix };
}

/** Recipes can run, though not all of them, or not as well as they could. */
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

// What to do about a check that failed: one table, so that a doctor and a run that is refused say the same.
export const fixes: Readonly<Record<string, string>> = {
  'tools.node': 'Install Node 20.19 or later.',
  'tools.shell': 'Install a POSIX shell as /bin/sh, or write commands as "argv", which needs none.',
  'tools.git': 'Install git, if evidence is to be compared with a commit.',
  'tools.python': 'Install Python 3 as "python3" in PATH, if a recipe has logic in Python.',
  'tools.playwright': 'Install it in the project: npm install --save-dev @playwright/test',
  'tools.browser':
    'Install one by "npx playwright install chromium", or set RECIPEWRIGHT_BROWSER to a Chrome, Chromium or Edge program.',
  'tools.video':
    'Install a Chromium by "npx playwright install chromium", or set RECIPEWRIGHT_BROWSER to a Chrome, Chromium or Edge program that is up to date. Until then, single frames are kept in place of videos.',
  'harness.version': 'Run the one of the project: npx recipewright',
  'harness.config': 'Mend the config; what it may hold is in the README.',
  'harness.setup': 'Mend the setup module: it has "export default defineSetup({ … })".',
  'harness.schemas': 'Install it anew: npm install --save-dev recipewright',
  'runtime.recipe': 'See every finding in its place: npx recipewright validate',
  'runtime.actions': 'Define the action in the setup module, and name the module by --setup or in the config.',
  'runtime.preconditions': 'Declare it, with a checker, in the setup module.',
  'runtime.programs': 'Install it, or check its name.',
  'fixtures.uses': 'Put it where the recipe looks for it, or name the root by --project-root.',
  'fixtures.libraries': 'Mend its path in "libraries" of the config, or fetch it.',
  'fixtures.watched': 'Make the directory, or start what writes the file before the recipe looks at it.',
  'isolation.temp': 'Make it writable, or set TMPDIR to a directory that is.',
  'isolation.results': 'Make it writable, or run by a user who may write there.',
  'isolation.disk': 'Make room on this disk.',
  'isolation.processes': 'Mount /proc, so that what a command leaves running is found and ended.',
  'isolation.runs': 'Wait for it to end, and give each run an --artifacts-dir of its own.',
};
