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
