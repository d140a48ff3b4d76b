// Creates a release: npm run release -- patch|minor|major|1.2.3 [--dry-run]
// Sets the version, adds the date to the changelog, commits and tags. Pushing the tag publishes the package
// (.github/workflows/release.yml).
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { checkTarball, describeTarball } from './releaseTarball.mjs';
import { root } from './run.mjs';

const usage = 'Usage: npm run release -- patch|minor|major|1.2.3 [--dry-run]';
const releaseBranch = 'main';
const numbers = /^(\d+)\.(\d+)\.(\d+)$/;
const unreleased = /^## Unreleased\n(.*?)(?=^## |$(?![\s\S]))/ms;

const { step, isDryRun } = readArguments(process.argv.slice(2));
try {
  await release();
} catch (error) {
  console.error(`✗ ${error.message}`);
  process.exitCode = 1;
}

function readArguments(args) {
  const [wanted, ...more] = args.filter((arg) => arg !== '--dry-run');
  if (wanted !== undefined && more.length === 0 && (numbers.test(wanted) || ['patch', 'minor', 'major'].includes(wanted)))
    return { step: wanted, isDryRun: args.includes('--dry-run') };
  console.error(`${wanted === undefined ? 'No version given.' : `Unexpected arguments: ${args.join(' ')}.`} ${usage}`);
  process.exit(2);
}

async function release() {
  const { version: before } = JSON.parse(read('package.json'));
  const version = nextVersion(before);
  const tag = `v${version}`;
  refuseUnlessReady(tag);
  const changelog = datedChangelog(version);
  const tarball = await checkTarball();
  console.log(`Release ${before} → ${version}${isDryRun ? ' (dry run: nothing is changed)' : ''}`);
  console.log(`  package.json, package-lock.json: version ${version}`);
  console.log(`  CHANGELOG.md: "Unreleased" becomes "${changelog.title}" (${changelog.entries} entries)`);
  console.log(`  npm package: ${describeTarball(tarball)}`);
  console.log(`  git: commit "release: ${version}", tag ${tag}`);
  if (isDryRun) return;
  writeVersion(version);
  write('CHANGELOG.md', changelog.text);
  git('commit', '--quiet', '--message', `release: ${version}`, '--', 'package.json', 'package-lock.json', 'CHANGELOG.md');
  git('tag', '--annotate', '--message', tag, tag);
  console.log(`Now push both: git push origin ${releaseBranch} ${tag}`);
}

function nextVersion(before) {
  const [, ...parts] = numbers.exec(before) ?? [];
  if (parts.length === 0) throw new Error(`The version ${before} in package.json is not of the form 1.2.3. Correct it first.`);
  const [major, minor, patch] = parts.map(Number);
  if (step === 'major') return `${major + 1}.0.0`;
  if (step === 'minor') return `${major}.${minor + 1}.0`;
  if (step === 'patch') return `${major}.${minor}.${patch + 1}`;
  // The version of package.json is allowed while it has no tag, for the first release.
  if (isLower(step, before))
    throw new Error(`${step} is lower than ${before}, the version in package.json. Choose a higher one.`);
  return step;
}

function isLower(a, b) {
  const [left, right] = [a, b].map((version) => version.split('.').map(Number));
  const at = left.findIndex((part, index) => part !== right[index]);
  return at >= 0 && left[at] < right[at];
}

function refuseUnlessReady(tag) {
  const branch = git('branch', '--show-current');
  if (branch !== releaseBranch) {
    const where = branch === '' ? 'no branch is checked out' : `the branch is ${branch}`;
    throw new Error(`Releases are made on ${releaseBranch}, and ${where}. Run git switch ${releaseBranch}.`);
  }
  const changes = git('status', '--porcelain');
  if (changes !== '') throw new Error(`The work tree has changes. Commit or stash them first:\n${changes}`);
  if (git('tag', '--list', tag) !== '') throw new Error(`The tag ${tag} exists already. Choose another version.`);
}

function datedChangelog(version) {
  const text = read('CHANGELOG.md');
  const [section, body = ''] = unreleased.exec(text) ?? [];
  if (section === undefined) throw new Error('CHANGELOG.md has no heading "## Unreleased". Add it above the last version.');
  if (body.trim() === '')
    throw new Error('CHANGELOG.md has nothing under "## Unreleased". Describe there what changes for users.');
  const title = `${version} - ${new Date().toISOString().slice(0, 10)}`;
  const entries = body.split('\n').filter((line) => line.startsWith('- ')).length;
  return { title, entries, text: text.replace(section, () => `## Unreleased\n\n## ${title}\n${body}`) };
}

function writeVersion(version) {
  const manifest = JSON.parse(read('package.json'));
  write('package.json', toJson({ ...manifest, version }));
  const lock = JSON.parse(read('package-lock.json'));
  const packages = { ...lock.packages, '': { ...lock.packages[''], version } };
  write('package-lock.json', toJson({ ...lock, version, packages }));
}

function toJson(value) {
  return `${JSON.stringify(value, null, 2)}\n`;
}

function read(name) {
  return readFileSync(path.join(root, name), 'utf8');
}

function write(name, text) {
  writeFileSync(path.join(root, name), text);
}

function git(...args) {
  return execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trimEnd();
}
