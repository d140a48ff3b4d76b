// Compares the evidence packages of two runs of the same recipes, for example before and after a refactoring:
//   node scripts/comparePackages.mjs BEFORE/recipe-results AFTER/recipe-results
// Ignores values that differ in every run: times, digests, hashes of screenshots, commits, versions, ports, and the order in which
// parallel nodes end. Lists changed sentences separately. The exit code is 1 when anything else differs.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

const [before, after] = process.argv.slice(2);
if (!before || !after || !existsSync(before) || !existsSync(after)) {
  console.error('Pass two directories with evidence packages: node scripts/comparePackages.mjs BEFORE AFTER');
  process.exit(2);
}

const varying = new Set([
  ...[
    'at',
    'startedAt',
    'endedAt',
    'durationMs',
    'ms',
    'prev',
    'run',
    'git_ref',
    'git_dirty',
    'git_changes',
    'tree_digest',
    'sha256',
    'size',
  ],
  ...['harness', 'tool', 'host', 'package', 'hash', 'digest', 'seq'],
]);
/** Fields with text for readers. The text may change although the run is the same. */
const sentences = new Set(['intent', 'message', 'reason', 'title', 'description', 'text']);
const differences = [];
const changedSentences = [];
const names = new Set([...packagesIn(before), ...packagesIn(after)]);
for (const name of [...names].sort()) comparePackage(name);
for (const line of changedSentences) console.log(`changed sentence: ${line}`);
for (const line of differences) console.log(line);
console.log(`${names.size} packages compared, ${differences.length} differences, ${changedSentences.length} changed sentences`);
process.exitCode = names.size === 0 || differences.length > 0 ? 1 : 0;

function packagesIn(dir) {
  return readdirSync(dir, { recursive: true })
    .filter((name) => path.basename(name) === 'summary.json' && !name.startsWith('.'))
    .map((name) => path.dirname(name));
}

function comparePackage(name) {
  for (const file of ['recipe.json', 'workflow.json', 'summary.json', 'trace.json', 'artifact-manifest.json', 'journal.jsonl']) {
    const [valueBefore, valueAfter] = [before, after].map((dir) => readFile(path.join(dir, name, file)));
    compare(`${name}/${file}`, valueBefore, valueAfter);
  }
}

function readFile(file) {
  if (!existsSync(file)) return undefined;
  const text = readFileSync(file, 'utf8').replace(/127\.0\.0\.1:\d+/g, '127.0.0.1:PORT');
  if (file.endsWith('.jsonl'))
    return text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
      .sort(byPath)
      .map(withoutVarying);
  const value = JSON.parse(text);
  if (path.basename(file) === 'trace.json') (Array.isArray(value) ? value : value.entries).sort(byPath);
  return withoutVarying(value);
}

function byPath(a, b) {
  const key = ({ path: runPath = '', nodeId = '', t = '' }) => `${runPath}\n${nodeId}\n${t}`;
  return key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0;
}

function withoutVarying(value) {
  if (Array.isArray(value)) return value.map(withoutVarying);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([key]) => !varying.has(key));
  return Object.fromEntries(entries.map(([key, inner]) => [key, withoutVarying(inner)]));
}

function compare(place, left, right) {
  if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null) {
    if (Object.is(left, right)) return;
    const isSentence = sentences.has(place.split(' ').at(-1)) && typeof left === 'string' && typeof right === 'string';
    (isSentence ? changedSentences : differences).push(`${place}: ${JSON.stringify(left)} → ${JSON.stringify(right)}`);
    return;
  }
  for (const key of new Set([...Object.keys(left), ...Object.keys(right)])) compare(`${place} ${key}`, left[key], right[key]);
}
