// "npm run demo": runs the set-up and the example shop with Playwright, and prints where the evidence is.
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { root, runTool } from './run.mjs';
import { giveUp, say, setUp } from './setup.mjs';

const shop = path.join(root, 'examples', 'shop');
const results = path.join(shop, 'recipe-results');
const toShortPath = (file) => path.relative(process.cwd(), file) || '.';

await setUp({ browser: true }).catch(giveUp);
rmSync(results, { recursive: true, force: true });
say(`Running the shop's tests and recipes: npx playwright test (in ${toShortPath(shop)})\n`);
const testRun = await runTool('@playwright/test/cli.js', ['test'], {
  cwd: shop,
  show: true,
  env: { PLAYWRIGHT_HTML_OPEN: 'never' },
});

const packages = findFiles(results, 'summary.json').map(readPackage);
const missing = listRecipes().filter((id) => !packages.some((entry) => entry.id === id || entry.id.startsWith(`${id}--`)));
console.log('\nEvidence\n');
for (const entry of packages) printPackage(entry);
for (const id of missing) console.log(`  none        ${id}  no package was written`);
process.exitCode = printConclusion();

function printConclusion() {
  const notPassed = packages.filter(({ summary }) => summary.status !== 'pass');
  const problems = [
    ...(testRun.problem ? [`Playwright ended with ${testRun.problem}. Its output is above.`] : []),
    ...missing.map((id) => `${id} has no evidence package. The reporter did not run, or stopped early.`),
    ...notPassed.map(({ id, folder }) => `${id} did not pass. Read ${toShortPath(path.join(folder, 'summary.json'))}.`),
  ];
  if (packages.length === 0 && missing.length === 0)
    problems.push(`There is no recipe in ${toShortPath(path.join(shop, 'recipes'))}.`);
  if (problems.length > 0) {
    console.error(`\n✗ The demo failed.\n${problems.map((line) => `  ${line}`).join('\n')}\n`);
    return 1;
  }
  printNext();
  return 0;
}

function printPackage({ id, folder, summary }) {
  const label = summary.status.padEnd(10);
  const claims = summary.proof?.length
    ? summary.proof.map((proof) => `${proof.id} ${formatStatus(proof.status)}: ${proof.claim}`)
    : ['no claims'];
  for (const [index, claim] of claims.entries())
    console.log(`  ${index === 0 ? label : ' '.repeat(10)}  ${index === 0 ? id : ' '.repeat(id.length)}  ${claim}`);
  const pictures = findFiles(path.join(folder, 'screenshots'), '.png');
  for (const file of [folder, ...pictures]) console.log(`              ${toShortPath(file)}`);
  console.log('');
}

function formatStatus(status) {
  return status === 'pass' ? 'proven' : status;
}

function printNext() {
  console.log(`Open ${toShortPath(path.join(results, 'index.html'))} for the evidence with its screenshots,`);
  console.log(`     ${toShortPath(path.join(shop, 'playwright-report', 'index.html'))} for Playwright's report.`);
  console.log(
    `Next: change a price in ${toShortPath(path.join(shop, 'quote.mjs'))} and run "npm run demo" again to see a claim fail,`,
  );
  console.log(`or:   cd ${toShortPath(shop)} && npx playwright test --ui --project=recipes\n`);
}

function readPackage(file) {
  const folder = path.dirname(file);
  return { id: toId(path.relative(results, folder)), folder, summary: { status: 'unreadable', ...readJson(file) } };
}

function readJson(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    return console.error(`${toShortPath(file)}: ${error.message}`);
  }
}

function listRecipes() {
  return findFiles(path.join(shop, 'recipes'), '.recipe.json').map((file) =>
    toId(path.relative(shop, file)).replace(/\.recipe\.json$/, ''),
  );
}

// Skips dot folders, which contain the earlier attempts of a retried recipe.
function findFiles(folder, ending) {
  if (!existsSync(folder)) return [];
  const entries = readdirSync(folder, { withFileTypes: true }).filter(({ name }) => !name.startsWith('.'));
  return entries.flatMap((entry) => {
    const full = path.join(folder, entry.name);
    if (entry.isDirectory()) return findFiles(full, ending);
    return entry.name.endsWith(ending) ? [full] : [];
  });
}

function toId(relative) {
  return relative.split(path.sep).join('/');
}
