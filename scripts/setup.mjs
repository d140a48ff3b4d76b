// Sets up a new clone: installs the dependencies, builds, and finds or installs a browser if needed. Skips the steps that are done.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { ensureBrowser, preferHeadlessShell } from './browser.mjs';
import { ensureDependencies } from './dependencies.mjs';
import { installSelf, selfIsInstalled } from './installSelf.mjs';
import { root, runNpm, seconds, tail } from './run.mjs';
import { readStamp, sourceHash } from './stamp.mjs';

export function say(line) {
  console.log(`• ${line}`);
}

/**
 * `tests`: the browser is for tests, so a headless build is preferred.
 * @throws an error with a `stage` (node, install, build, browser) and a message that says what to do
 */
export async function setUp({ browser, tests = false }) {
  checkNode();
  await ensureDependencies(say);
  await ensureBuild();
  const anyBrowser = browser ? await ensureBrowser(say) : undefined;
  const chosen = anyBrowser && tests ? await preferHeadlessShell(anyBrowser, say) : anyBrowser;
  const name = chosen && (chosen.executablePath ?? "Playwright's own Chromium");
  say(`Ready: Node ${process.versions.node}, dependencies, build${name ? `, browser ${name}` : ''}.`);
}

/** Prints why the set-up failed and ends the process. */
export function giveUp(error) {
  console.error(error.stage ? `\n✗ ${error.message}\n` : error);
  process.exit(1);
}

function checkNode() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major > 20 || (major === 20 && minor >= 19)) return;
  const message = `Node ${process.versions.node} is too old: recipewright needs 20.19 or newer.\n  Get it from https://nodejs.org, or run: nvm install 22`;
  throw Object.assign(new Error(message), { stage: 'node' });
}

async function ensureBuild() {
  if (existsSync(path.join(root, 'dist')) && readStamp().build === sourceHash()) {
    // "npm install <package>" removes the installed copy of recipewright, because no package.json has it as a dependency.
    if (!selfIsInstalled()) installSelf();
    return;
  }
  say('Building (npm run build) ...');
  const result = await runNpm(['run', 'build']);
  if (result.code !== 0) throw Object.assign(new Error(`The build failed:\n${tail(result, 40)}`), { stage: 'build' });
  if (!selfIsInstalled()) installSelf();
  say(`Built in ${seconds(result.ms)}.`);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  await setUp({ browser: !process.argv.includes('--no-browser') }).catch(giveUp);
}
