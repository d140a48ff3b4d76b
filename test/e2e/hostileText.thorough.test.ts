// F13 with the real Playwright: no reporter prints the text of a recipe or the output of its commands raw, or interprets it.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { hostileTexts, isHostile } from '../support/hostileTexts.js';
import { type HtmlTest, readHtmlReport, stepsOf } from '../support/htmlReport.js';
import { expect, type Files, type Project, type Run, test } from '../support/project.js';
import { type Node, recipe } from '../support/recipe.js';

// GitHub's older commands and Azure's commands work anywhere in a line, and the newer ones after any kind of space.
const texts = [...hostileTexts, 'say ##[add-mask]x', 'say ##vso[task.complete]x', 'first line\n\u00a0::add-mask::x'];
const command = /^\s*::|##\[|##vso\[/m;
const colour = /\p{Cc}\[\d+m(?!red)/gu;
const all = texts.join('\n');

const cat = (fields: object): Node => ({ action: 'command', argv: ['cat'], stdin: all, ...fields });
const claims = { proofTargets: [{ id: 'AC1', claim: all }] };
const documents = {
  intents: recipe(Object.fromEntries(texts.map((text, at) => [`say-${at}`, cat({ stdin: text, intent: text })])), { title: all }),
  errors: recipe({ shout: { action: 'command', cmd: 'cat >&2; exit 1', stdin: all, intent: all } }, { title: all }),
  values: recipe(
    { say: cat({}), hear: { action: 'assert_output', source: 'say', contains: `no ${all}`, proofTarget: 'AC1' } },
    { title: all, ...claims },
  ),
  ids: recipe(Object.fromEntries(texts.map((text) => [text, cat({ intent: text, [text]: text })])), { title: all }),
};

const reporter = [
  ...[['list', { printSteps: true }], ['line'], ['github'], ['junit', { outputFile: 'junit.xml' }]],
  ...[['json', { outputFile: 'report.json' }], ['html'], ['recipewright/playwright/reporter']],
];

function written(spell: (json: string) => string): Files {
  const files = Object.entries(documents).map(([name, json]) => [
    `recipes/${name}.recipe.json`,
    spell(JSON.stringify(json, null, 2)),
  ]);
  return Object.fromEntries(files);
}

/** Escaped in the file, so that the code frames that Playwright copies from the file are harmless. */
function escaped(json: string): string {
  return json.replace(/[#\u007f-\uffff]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** The control sequences that Playwright itself prints: moves of the cursor, and annotations for each failure and for the run. */
function withoutPlaywrightsOwn(stdout: string): string {
  // Playwright 1.63 writes the colons of a title as they are.
  const annotation =
    /^::(error file=recipes\/\w+\.recipe\.json,title=\P{Cc}+?,line=\d+,col=\d+|notice title=🎭 Playwright Run Summary)::/gmu;
  expect(stdout.match(annotation)).toHaveLength(4);
  return stdout.replaceAll('\u001b[1A\u001b[2K', '').replace(annotation, '');
}

function testsIn({ dir }: Project): HtmlTest[] {
  return readHtmlReport(join(dir, 'playwright-report/index.html')).flatMap(({ tests }) => tests);
}

/** The texts of tests, steps and errors in the page. The colors are Playwright's, except for those that start one of our texts. */
function shownIn(tests: readonly HtmlTest[]): string[] {
  const texts = tests.flatMap(({ title, path, results }) => [
    ...[title, ...path],
    ...results.flatMap(({ errors }) => errors.flatMap(({ message, codeframe = '' }) => [message, codeframe])),
    ...results.flatMap(({ steps }) => stepsOf(steps)).flatMap((step) => [step.title, step.subtitle ?? '', step.error ?? '']),
  ]);
  return texts.map((text) => text.replaceAll(colour, ''));
}

const isRefused = (text: string): boolean => isHostile(text) || command.test(text);

/** Encoded, because a failure of this test is printed too. */
function refused(lines: readonly string[]): string[] {
  return lines.filter(isRefused).map((line) => encodeURIComponent(line).slice(0, 300));
}

function expectAllToHaveRun(run: Run): void {
  expect(run).toMatchObject({ exitCode: 1, stderr: '', passed: 1, failed: 3 });
  const { status, reason } = run.packages.get('recipes/values')?.summary ?? {};
  expect([status, reason]).toEqual(['fail', expect.stringContaining('say $ expected contains')]);
}

// In a CI, our own reporter colors its lines, which this test does not check.
const withoutColours = { env: { CI: '' } };

test('F13 no reporter prints hostile titles, intents, claims, ids, outputs and errors raw, or as a command', async ({
  project,
}) => {
  const inner = project(written(escaped), { config: { reporter } });
  const run = await inner.run([], withoutColours);
  expectAllToHaveRun(run);
  expect(refused(withoutPlaywrightsOwn(run.stdout).split('\n'))).toEqual([]);
  expect(refused(readFileSync(join(inner.dir, 'junit.xml'), 'utf8').split('\n'))).toEqual([]);
  const tests = testsIn(inner);
  expect(refused(shownIn(tests))).toEqual([]);
  // All texts were part of the run.
  for (const output of [run.stdout, shownIn(tests).join('\n')])
    for (const text of ['\\u{1b}[2J', '\\u{9b}31m', '\\u{202e}right to left', 'add-mask', 'vso']) expect(output).toContain(text);
  const steps = tests.flatMap(({ results }) => results.flatMap((result) => stepsOf(result.steps)));
  expect(steps.filter(({ subtitle = '' }) => /^say-\d+ · command$/.test(subtitle))).toHaveLength(texts.length);
});

test('F13 if a file contains raw hostile text, only the code frames that Playwright copies are raw in reports', async ({
  project,
}) => {
  const run = await project(
    written((json) => json),
    { config: { reporter } },
  ).run([], withoutColours);
  expectAllToHaveRun(run);
  const frame = /^ +>? *\d+ \| /;
  const lines = withoutPlaywrightsOwn(run.stdout).split(/\n|%0A/);
  expect(refused(lines.filter((line) => !frame.test(line)))).toEqual([]);
  expect(refused(lines.filter((line) => frame.test(line))).length).toBeGreaterThan(0);
});
