// Checks the programs that recipes and recipewright itself need: Node, a shell, git, Python, Playwright and a browser.
import { loadPlaywright, playwrightPackages } from '../../browser/launch/loadPlaywright.js';
import { findVideoProblem } from '../../browser/recording/encodeVideo.js';
import { type BrowserLookup, findChromium, findChromiumProgram } from '../../system/browsers.js';
import { findProgram, findProgramFrom, isProgram } from '../../system/machine.js';
import { findInstalledPackage } from '../../system/project.js';
import { type Check, fail, pass, skip, warn } from './doctorCheck.js';

const oldestNode = '20.19';
const oldestPlaywright = '1.63';

export type Tools = { hasPlaywright: boolean; hasBrowser: boolean };

/** `python`: the Python program of the config, when the config allows Python code. */
export function examineTools(
  projectRoot: string,
  { python }: { python?: string | undefined } = {},
): { checks: Check[]; tools: Tools } {
  const pageChecks = examinePlaywright(projectRoot);
  return {
    checks: [examineNode(process.versions.node), examineShell(), examineGit(), examinePython(projectRoot, python), ...pageChecks],
    tools: {
      hasPlaywright: pageChecks.some(({ id, status }) => id === 'tools.playwright' && status === 'pass'),
      hasBrowser: pageChecks.some(({ id, status }) => id === 'tools.browser' && status === 'pass'),
    },
  };
}

export function examineNode(version: string): Check {
  if (isOlder(version, oldestNode)) return fail('tools.node', `Node ${version} is older than ${oldestNode}.`);
  return pass('tools.node', `Node ${version}.`);
}

function examineShell(): Check {
  if (process.platform === 'win32') return pass('tools.shell', 'The shell of Windows runs commands.');
  // Node runs no other shell.
  return isProgram('/bin/sh')
    ? pass('tools.shell', 'The shell is /bin/sh.')
    : fail('tools.shell', 'There is no /bin/sh, which runs the "cmd" of a command.');
}

function examineGit(): Check {
  const git = findProgram('git');
  return git === undefined
    ? warn('tools.git', 'There is no git in PATH, so evidence cannot be compared with a commit.')
    : pass('tools.git', `git is ${git}.`);
}

function examinePython(projectRoot: string, configured: string | undefined): Check {
  if (configured !== undefined) {
    const program = findProgramFrom(configured, projectRoot);
    if (program === undefined)
      return fail('tools.python', `The config allows Python, but there is no program ${JSON.stringify(configured)}.`);
    return pass('tools.python', `${program} runs the Python code of runtime recipes.`);
  }
  const python = findProgram('python3');
  return python === undefined
    ? skip('tools.python', 'There is no python3 in PATH. Only recipes with logic in Python need it.')
    : pass('tools.python', `python3 is ${python}, for recipes with logic in Python.`);
}

function examinePlaywright(projectRoot: string): Check[] {
  const name = playwrightPackages.find((packageName) => findInstalledPackage(projectRoot, packageName));
  if (name === undefined)
    return [skip('tools.playwright', 'The project has no @playwright/test. Only recipes with a page need it.')];
  const { version = 'of an unknown version' } = findInstalledPackage(projectRoot, name) ?? {};
  if (isOlder(version, oldestPlaywright))
    return [fail('tools.playwright', `${name} ${version} is older than ${oldestPlaywright}.`)];
  return [pass('tools.playwright', `${name} ${version}.`), ...examineBrowser(projectRoot)];
}

// Examines the browser that a run would start: the lookup uses the Playwright of the project, like a run.
function examineBrowser(projectRoot: string): Check[] {
  try {
    const chromium = findChromium(lookupIn(projectRoot));
    if (!chromium)
      return [fail('tools.browser', 'There is no Chromium: Playwright has installed none, and this machine has none.')];
    const where = chromium.executablePath ?? 'the Chromium that Playwright installed';
    return [pass('tools.browser', `The browser is ${where}.`)];
  } catch (thrown) {
    // RECIPEWRIGHT_BROWSER names no file: the first line of the message is the problem, the second line is the fix.
    const [problem = '', ...next] = (thrown as Error).message.split('\n');
    return [fail('tools.browser', problem, next.join(' ') || undefined)];
  }
}

function lookupIn(projectRoot: string): BrowserLookup {
  return { playwrightPath: () => loadPlaywright(projectRoot)?.chromium.executablePath() };
}

/** Starts the browser, because only the running browser can report which video codecs it has. */
export async function examineVideo(projectRoot: string, { hasBrowser }: Tools): Promise<Check> {
  const program = hasBrowser ? findChromiumProgram(lookupIn(projectRoot)) : undefined;
  const problem = program === undefined ? 'there is no Chromium to encode them' : await findVideoProblem(program);
  return problem === undefined
    ? pass('tools.video', 'The browser can record videos.')
    : warn('tools.video', `The browser cannot record videos: ${problem}.`);
}

function isOlder(version: string, than: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [leastMajor = 0, leastMinor = 0] = than.split('.').map(Number);
  return major < leastMajor || (major === leastMajor && minor < leastMinor);
}
