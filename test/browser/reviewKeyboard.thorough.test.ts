// Everything that a review page shows can be reached by keyboard.
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Browser, Page } from '@playwright/test';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { runRecipe } from '../../src/hosts/plain/runRecipe.js';
import { anchor, href } from '../../src/pages/html.js';
import { closeContexts, freshPage, sharedChromium } from '../support/chromium.js';
import { directory, jsonIn } from '../unit/evidence/packages.js';
import { richPackage, richRecipe, runIn } from '../unit/evidence/richPackage.js';

let browser: Browser;
beforeAll(async () => {
  browser = await sharedChromium();
});
afterAll(() => closeContexts(browser));

/** The directory of packages that several tests share. */
const home = mkdtempSync(join(tmpdir(), 'recipewright-'));
afterAll(() => rmSync(home, { recursive: true }));

/** The position of the focus: the row of a claim, the entry, the box of a graph, the link. */
type Stop = { claim?: string; entry?: string; own?: boolean; box?: string; to?: string; tag: string };

// A string, because the tests are compiled without DOM types.
const focus = `(() => {
  const at = document.activeElement;
  return {
    tag: at.tagName,
    claim: at.closest('tr')?.id || undefined,
    entry: at.closest('.entry')?.id,
    own: at.matches('.entry > details > summary'),
    box: at.closest('.g-node')?.querySelector('title').textContent,
    to: at.getAttribute('href') ?? undefined,
  };
})()`;

const readFocus = (page: Page): Promise<Stop> => page.evaluate(focus);

/** Presses Tab through the whole page. `onStop` can press more keys at each stop. */
async function tabThrough(page: Page, onStop?: (stop: Stop) => Promise<unknown>): Promise<Stop[]> {
  const stops: Stop[] = [];
  for (;;) {
    await page.keyboard.press('Tab');
    const stop = await readFocus(page);
    if (stop.tag === 'BODY' || stop.tag === 'HTML') return stops;
    if (stops.length > 3_000) throw new Error('The focus never leaves the page.');
    stops.push(stop);
    await onStop?.(stop);
  }
}

const openWithEnter = (page: Page) => async (stop: Stop) => {
  const isClosed = await page.evaluate("document.activeElement.matches('details:not([open]) > summary')");
  if (stop.tag === 'SUMMARY' && isClosed) await page.keyboard.press('Enter');
};

type Listed = { path: string };
type Traced = { nodeId?: string; id?: string; artifacts?: (string | Listed)[] };

/** Lists the claims, entries, files and nodes in the documents of a package. */
function listExpected(dir: string) {
  const trace: Traced[] = jsonIn(dir, 'trace.json').trace ?? jsonIn(dir, 'trace.json');
  const entries = trace.map(({ nodeId, id, artifacts = [] }) => ({
    entry: anchor('n', nodeId ?? id ?? ''),
    files: artifacts.map((artifact) => (typeof artifact === 'string' ? artifact : artifact.path)),
  }));
  const { artifacts } = jsonIn(dir, 'artifact-manifest.json') as { artifacts: Listed[] };
  const { proof } = jsonIn(dir, 'summary.json') as { proof: { id: string }[] };
  const nodes: Record<string, { action: string }> = existsSync(join(dir, 'recipe.json'))
    ? (jsonIn(dir, 'recipe.json').validate?.workflow?.nodes ?? {})
    : {};
  // The page itself is one of the files.
  const files = artifacts.map(({ path }) => path).filter((path) => path !== 'review.html');
  return { claims: proof.map(({ id }) => anchor('claim', id)), entries, files, nodes };
}

const branching = {
  ...richRecipe,
  proofTargets: [
    { id: 'AC1', claim: 'The notes are kept.' },
    { id: 'AC 2/"<b>', claim: 'Nobody comes to where this is proven.' },
  ],
  validate: {
    workflow: {
      ...(richRecipe as Workflows).validate.workflow,
      nodes: {
        ...(richRecipe as Workflows).validate.workflow.nodes,
        keep: {
          ...((richRecipe as Workflows).validate.workflow.nodes.keep as object),
          next: 'which',
        },
        which: {
          ...{ action: 'switch', intent: 'Choose a way', default: 'never' },
          cases: [{ when: { source: 'soft', path: '$.durationMs', operator: 'gte', value: 0 }, next: 'check' }],
        },
        never: {
          ...{ action: 'assert_file', intent: 'Nobody comes here', path: 'notes.log', contains: 'kept' },
          ...{ proofTarget: 'AC 2/"<b>', next: 'done' },
        },
      },
    },
  },
};
type Workflows = { validate: { workflow: { nodes: Record<string, unknown> } } };

const desk = fileURLToPath(new URL('../../examples/desk/manifests/article.runtime.json', import.meta.url));

async function runAgents(): Promise<string> {
  const dir = join(directory(), 'out');
  mkdirSync(dir);
  const result = await runRecipe(desk, { artifactsDir: dir });
  if (!result.ran) throw new Error(JSON.stringify(result.findings));
  return dir;
}

const failing = JSON.parse(JSON.stringify(richRecipe).replaceAll('"contains":"kept"', '"contains":"gone"'));

const packages: [string, () => Promise<string>][] = [
  ['a run that passed', async () => (await richPackage()).dir],
  ['a run that failed', () => runIn(directory(), failing)],
  ['a run with an unused branch and a claim without evidence', () => runIn(directory(), branching)],
  ['a run of an agent manifest', runAgents],
];

async function copyPackage(createPackage: () => Promise<string>): Promise<string> {
  const dir = mkdtempSync(join(home, 'package-'));
  cpSync(await createPackage(), dir, { recursive: true });
  return dir;
}

describe.for(packages)('the review page of %s', ([name, createPackage]) => {
  let copied: Promise<string> | undefined;
  const packageDir = (): Promise<string> => {
    copied ??= copyPackage(createPackage);
    return copied;
  };

  test(`every claim, entry, node and file of ${name} is reached by Tab and Enter`, async () => {
    const dir = await packageDir();
    const page = await openReview(dir);
    const expected = listExpected(dir);
    const stops = await tabThrough(page, openWithEnter(page));
    expect(expected.entries.length).toBeGreaterThan(2);
    expect(expected.files.length).toBeGreaterThan(2);
    const unreached = {
      claims: expected.claims.filter((claim) => !stops.some((stop) => stop.claim === claim)),
      entries: expected.entries.filter(({ entry }) => !stops.some((stop) => stop.own && stop.entry === entry)),
      files: expected.files.filter((path) => !stops.some(({ to }) => to === href(path))),
      filesOfEntries: expected.entries.flatMap(({ entry, files }) =>
        files.filter((path) => !stops.some((stop) => stop.entry === entry && stop.to === href(path))),
      ),
      nodes: Object.entries(expected.nodes).filter(
        ([id, { action }]) => !stops.some(({ box }) => box?.includes(action === 'end' ? 'End: ' : ` · ${id} · ${action}`)),
      ),
    };
    expect(unreached).toEqual({ claims: [], entries: [], files: [], filesOfEntries: [], nodes: [] });
    for (const { to } of stops) if (to?.startsWith('./')) expect(existsSync(join(dir, decodeURIComponent(to)))).toBe(true);
  });

  test(`every entry of ${name} is reached by the arrow keys, down and up`, async () => {
    const dir = await packageDir();
    const page = await openReview(dir);
    await page.getByRole('button', { name: 'Open all' }).focus();
    do await page.keyboard.press('Tab');
    while (!(await readFocus(page)).own);
    const walk = async (key: string): Promise<(string | undefined)[]> => {
      const entries = [(await readFocus(page)).entry];
      for (;;) {
        await page.keyboard.press(key);
        const { entry } = await readFocus(page);
        if (entry === entries.at(-1)) return entries;
        entries.push(entry);
      }
    };
    const down = await walk('ArrowDown');
    expect(new Set(down)).toEqual(new Set(listExpected(dir).entries.map(({ entry }) => entry)));
    expect(await walk('ArrowUp')).toEqual(down.reverse());
  });
});

async function openReview(dir: string): Promise<Page> {
  const page = await freshPage(browser);
  onTestFinished(() => page.context().close());
  await page.goto(pathToFileURL(join(dir, 'review.html')).href);
  return page;
}
