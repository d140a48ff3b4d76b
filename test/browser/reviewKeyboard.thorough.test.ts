// Whatever the documents of a package name is reached on its page by keyboard alone.
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

/** Packages that several tests look at. */
const home = mkdtempSync(join(tmpdir(), 'recipewright-'));
afterAll(() => rmSync(home, { recursive: true }));

/** Where the focus is: in which row of a claim, in which entry, on which box of a graph, on which link. */
type Stop = { claim?: string; entry?: string; own?: boolean; box?: string; to?: string; tag: string };

// As a text: the tests know no types of a page.
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

const lookAt = (page: Page): Promise<Stop> => page.evaluate(focus);

/** Tab by Tab through the whole page; `onWay` may press more keys at a stop. */
async function tabThrough(page: Page, onWay?: (stop: Stop) => Promise<unknown>): Promise<Stop[]> {
  const stops: Stop[] = [];
  for (;;) {
    await page.keyboard.press('Tab');
    const stop = await lookAt(page);
    if (stop.tag === 'BODY' || stop.tag === 'HTML') return stops;
    if (stops.length > 3_000) throw new Error('The focus never leaves the page.');
    stops.push(stop);
    await onWay?.(stop);
  }
}

const openedByKey = (page: Page) => async (stop: Stop) => {
  const isClosed = await page.evaluate("document.activeElement.matches('details:not([open]) > summary')");
  if (stop.tag === 'SUMMARY' && isClosed) await page.keyboard.press('Enter');
};

type Listed = { path: string };
type Traced = { nodeId?: string; id?: string; artifacts?: (string | Listed)[] };

/** What there is to be reached, by the documents and not by the page. */
function namedIn(dir: string) {
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
  // The page is one of the files itself, and is there already.
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

async function ofAgents(): Promise<string> {
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
  ['a way not taken and a claim without evidence', () => runIn(directory(), branching)],
  ['a manifest of agents', ofAgents],
];

async function keep(made: () => Promise<string>): Promise<string> {
  const dir = mkdtempSync(join(home, 'package-'));
  cpSync(await made(), dir, { recursive: true });
  return dir;
}

describe.for(packages)('of %s', ([, made]) => {
  let kept: Promise<string> | undefined;
  const packageDir = (): Promise<string> => {
    kept ??= keep(made);
    return kept;
  };

  test('every claim, entry, node and file is reached by Tab and Enter', async () => {
    const dir = await packageDir();
    const page = await shown(dir);
    const named = namedIn(dir);
    const stops = await tabThrough(page, openedByKey(page));
    expect(named.entries.length).toBeGreaterThan(2);
    expect(named.files.length).toBeGreaterThan(2);
    const missed = {
      claims: named.claims.filter((claim) => !stops.some((stop) => stop.claim === claim)),
      entries: named.entries.filter(({ entry }) => !stops.some((stop) => stop.own && stop.entry === entry)),
      files: named.files.filter((path) => !stops.some(({ to }) => to === href(path))),
      filesOfEntries: named.entries.flatMap(({ entry, files }) =>
        files.filter((path) => !stops.some((stop) => stop.entry === entry && stop.to === href(path))),
      ),
      nodes: Object.entries(named.nodes).filter(
        ([id, { action }]) => !stops.some(({ box }) => box?.includes(action === 'end' ? 'End: ' : ` · ${id} · ${action}`)),
      ),
    };
    expect(missed).toEqual({ claims: [], entries: [], files: [], filesOfEntries: [], nodes: [] });
    for (const { to } of stops) if (to?.startsWith('./')) expect(existsSync(join(dir, decodeURIComponent(to)))).toBe(true);
  });

  test('every entry is reached by the arrow keys of its timeline, down and up again', async () => {
    const dir = await packageDir();
    const page = await shown(dir);
    await page.getByRole('button', { name: 'Open all' }).focus();
    do await page.keyboard.press('Tab');
    while (!(await lookAt(page)).own);
    const walk = async (key: string): Promise<(string | undefined)[]> => {
      const way = [(await lookAt(page)).entry];
      for (;;) {
        await page.keyboard.press(key);
        const { entry } = await lookAt(page);
        if (entry === way.at(-1)) return way;
        way.push(entry);
      }
    };
    const down = await walk('ArrowDown');
    expect(new Set(down)).toEqual(new Set(namedIn(dir).entries.map(({ entry }) => entry)));
    expect(await walk('ArrowUp')).toEqual(down.reverse());
  });
});

async function shown(dir: string): Promise<Page> {
  const page = await freshPage(browser);
  onTestFinished(() => page.context().close());
  await page.goto(pathToFileURL(join(dir, 'review.html')).href);
  return page;
}
