// Programs that recipes and recipewright itself are run by.
import { loadPlaywright, playwrightPackages } from '../../browser/launch/loadPlaywright.js';
import { findVideoProblem } from '../../browser/recording/encodeVideo.js';
import { type BrowserLookup, findChromium, findChromiumProgram } from '../../system/browsers.js';
import { findProgram, findProgramFrom, isProgram } from '../../system/machine.js';
import { findInstalledPackage } from '../../system/project.js';
import { type Check, fail, pass, skip, warn } from './doctorCheck.js';

const oldestNode = '20.19';
const oldestPlaywright = '1.63';

export type Tools = { playwright: boolean; browser: boolean };

/** `python`: what the project runs Python by, when it runs any. */
export function examineTools(
  projectRoot: string,
  { python }: { python?: string | undefined } = {},
): { checks: Check[]; tools: Tools } {
  const pages = examinePlaywright(projectRoot);
  return {
    checks: [examineNode(process.versions.node), examineShell(), examineGit(), examinePython(projectRoot, python), ...pages],
    tools: {
      playwright: pages.some(({ id, status }) => id === 'tools.playwright' && status === 'pass'),
      browser: pages.some(({ id, status }) => id === 'tools.browser' && status === 'pass'),
    },
  };
}

export function examineNode(version: string): Check {
  if (isOlder(version, oldestNode)) return fail('tools.node', `Node ${version} is older than ${oldestNode}.`);
  return pass('tools.node', `Node ${version}.`);
}

function examineShell(): Check {
  if (process.platform === 'win32') return pass('tools.shell', 'Commands are run by the shell of Windows.');
  // Node looks for it nowhere else.
  return isProgram('/bin/sh')
    ? pass('tools.shell', 'The shell is /bin/sh.')
    : fail('tools.shell', 'There is no /bin/sh, which runs the "cmd" of a command.');
}

function examineGit(): Check {
  const git = findProgram('git');
  return git === undefined
    ? warn('tools.git', 'There is no git in PATH: evidence cannot be compared with a commit.')
    : pass('tools.git', `git is ${git}.`);
}

function examinePython(projectRoot: string, configured: string | undefined): Check {
  if (configured !== undefined) {
    const found = findProgramFrom(configured, projectRoot);
    if (found === undefined)
      return fail('tools.python', `The config turns Python on, but there is no program ${JSON.stringify(configured)}.`);
    return pass('tools.python', `Python code of runtime recipes is run by ${found}.`);
  }
  const python = findProgram('python3');
  return python === undefined
    ? skip('tools.python', 'There is no python3 in PATH; only recipes with logic in Python need it.')
    : pass('tools.python', `python3 is ${python}, for recipes with logic in Python.`);
}

function examinePlaywright(projectRoot: string): Check[] {
  const name = playwrightPackages.find((one) => findInstalledPackage(projectRoot, one));
  if (name === undefined)
    return [skip('tools.playwright', 'The project has no @playwright/test; only recipes that need a page do.')];
  const { version = 'of an unknown version' } = findInstalledPackage(projectRoot, name) ?? {};
  if (isOlder(version, oldestPlaywright))
    return [fail('tools.playwright', `${name} ${version} is older than ${oldestPlaywright}.`)];
  return [pass('tools.playwright', `${name} ${version}.`), ...examineBrowser(projectRoot)];
}

// The one that a run starts: asked of the same Playwright.
function examineBrowser(projectRoot: string): Check[] {
  try {
    const found = findChromium(lookupIn(projectRoot));
    if (!found) return [fail('tools.browser', 'There is no Chromium: neither that of Playwright nor one of this machine.')];
    const where = found.executablePath ?? 'the one Playwright installed';
    return [pass('tools.browser', `The browser is ${where}.`)];
  } catch (thrown) {
    // RECIPEWRIGHT_BROWSER names no file: the first line says so, the second what to do.
    const [problem = '', ...next] = (thrown as Error).message.split('\n');
    return [fail('tools.browser', problem, next.join(' ') || undefined)];
  }
}

function lookupIn(projectRoot: string): BrowserLookup {
  return { playwrightPath: () => loadPlaywright(projectRoot)?.chromium.executablePath() };
}

/** Starts the browser: whether it can encode, only it knows. */
export async function examineVideo(projectRoot: string, { browser }: Tools): Promise<Check> {
  const program = browser ? findChromiumProgram(lookupIn(projectRoot)) : undefined;
  const problem = program === undefined ? 'there is no Chromium to encode them' : await findVideoProblem(program);
  return problem === undefined
    ? pass('tools.video', 'Videos of proof windows can be recorded.')
    : warn('tools.video', `Videos cannot be recorded: ${problem}.`);
}

function isOlder(version: string, than: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [leastMajor = 0, leastMinor = 0] = than.split('.').map(Number);
  return major < leastMajor || (major === leastMajor && minor < leastMinor);
}
