// Installs a Chromium in several ways. Each function prints what it does and returns whether it succeeded.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { run, runTool, seconds } from './run.mjs';

/** Downloads Playwright's build. A download without progress is stopped after a minute. */
export async function downloadWithPlaywright(say) {
  if (process.env.PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD) return false;
  say('Downloading Chromium with Playwright, about 280 MB ...');
  const result = await runTool('@playwright/test/cli.js', ['install', 'chromium'], {
    // Playwright tries five times. With its default of 30 s per attempt, a failure would take two and a half minutes.
    env: { PLAYWRIGHT_DOWNLOAD_CONNECTION_TIMEOUT: process.env.PLAYWRIGHT_DOWNLOAD_CONNECTION_TIMEOUT ?? '10000' },
    silentMs: 60_000,
    onLine: (line) => showProgress(line, say),
  });
  return report(result, 'Chromium downloaded', say);
}

/** Installs the package of the operating system, which also works when only the mirrors of the system are reachable. */
export async function installWithPackageManager(say) {
  const manager = managers.find(({ program }) => findProgram(program));
  if (!manager) return false;
  const admin = manager.needsRoot ? await adminPrefix() : [];
  if (!admin) {
    say(`${manager.program} could install Chromium, but this needs root, and sudo is missing or asks for a password.`);
    return false;
  }
  return manager.install((args) => runAs(admin, manager.program, args), say);
}

/** Installs the headless shell, but only for root on Debian. A faster browser is no reason to ask for a password. */
export async function installHeadlessShell(say) {
  if (process.getuid?.() !== 0 || !findProgram('apt-get')) return false;
  say('Installing the headless shell of Chromium with apt-get, in which the tests run about twice as fast ...');
  await runAs([], 'apt-get', ['update', '-o', 'Acquire::Retries=1']);
  const args = ['install', '-y', '--no-install-recommends', '-o', 'DPkg::Lock::Timeout=60', 'chromium-headless-shell'];
  return report(await runAs([], 'apt-get', args), 'Headless shell installed', say);
}

const managers = [
  { program: 'apt-get', needsRoot: true, install: installWithApt },
  { program: 'dnf', needsRoot: true, install: createInstaller('dnf', ['install', '-y', 'chromium']) },
  { program: 'apk', needsRoot: true, install: createInstaller('apk', ['add', '--no-cache', 'chromium', 'ttf-freefont']) },
  { program: 'pacman', needsRoot: true, install: createInstaller('pacman', ['-Sy', '--noconfirm', '--needed', 'chromium']) },
  { program: 'brew', needsRoot: false, install: createInstaller('brew', ['install', '--cask', 'google-chrome']) },
];

function createInstaller(program, args) {
  return async (runManager, say) => {
    say(`Installing ${args.at(-1) === 'google-chrome' ? 'Google Chrome' : 'Chromium'} with ${program}, about 1-2 minutes ...`);
    return report(await runManager(args), 'Browser installed', say);
  };
}

async function installWithApt(aptGet, say) {
  say('Installing Chromium with apt-get, about 1-2 minutes ...');
  // A single unreachable source fails the update, but the package may still be available, so the installation continues.
  const update = await aptGet(['update', '-o', 'Acquire::Retries=1']);
  const name = await findAptPackage();
  if (!name) {
    say('apt-get has no Chromium, or only a link to a snap, which Playwright cannot use.');
    return false;
  }
  // Without a font, every letter is a box. The other recommended packages are for desktops.
  const args = ['install', '-y', '--no-install-recommends', '-o', 'DPkg::Lock::Timeout=60', name, 'fonts-liberation'];
  const install = await aptGet(args);
  return report({ ...install, ms: update.ms + install.ms }, 'Chromium installed', say);
}

// On Ubuntu, the packages with these names only install a snap, which their description mentions.
async function findAptPackage() {
  for (const name of ['chromium', 'chromium-browser']) {
    const { code, output } = await run('apt-cache', ['show', '--no-all-versions', name]);
    if (code === 0 && /^Package:/m.test(output) && !/\bsnapd?\b|snap1/i.test(output)) return name;
  }
  return undefined;
}

async function adminPrefix() {
  if (process.getuid?.() === 0) return [];
  const { code } = await run('sudo', ['-n', 'true'], { timeoutMs: 10_000 });
  return code === 0 ? ['sudo', '-n'] : undefined;
}

function runAs(admin, program, args) {
  const [command, ...rest] = [...admin, 'env', 'DEBIAN_FRONTEND=noninteractive', program, ...args];
  return run(command, rest, { timeoutMs: 15 * 60_000 });
}

function findProgram(name) {
  return (process.env.PATH ?? '').split(path.delimiter).some((folder) => folder && existsSync(path.join(folder, name)));
}

function showProgress(line, say) {
  const percent = /(\d+)% of ([\d.]+ \w+)/.exec(line);
  if (percent && Number(percent[1]) % 50 === 0) say(`  ${percent[1]} % of ${percent[2]}`);
  return percent !== null;
}

function report(result, success, say) {
  if (result.code === 0) say(`${success} in ${seconds(result.ms)}.`);
  else say(`The installation failed (${seconds(result.ms)}): ${findReason(result)}`);
  return result.code === 0;
}

function findReason({ output, problem }) {
  const lines = output.trim().split('\n');
  return (
    lines.findLast((line) => /^(E:|Error:|ERROR|error:)/.test(line) && !/caused by|Download failure/.test(line)) ??
    lines.at(-1) ??
    problem
  );
}
