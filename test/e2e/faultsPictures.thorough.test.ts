// Content that a picture must not show, and content that it must show to prove a claim (rows F44, F50 and F51 in this host).
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { decodePng, type PngImage } from '../../src/browser/pngImage.js';
import { expectWhole } from '../support/evidence.js';
import { packageOf } from '../support/packages.js';
import { servePages } from '../support/pages.js';
import { runMs } from '../support/patience.js';
import type { Run } from '../support/project.js';
import { type Node, type Nodes, recipe } from '../support/recipe.js';
import { testsIn } from '../support/report.js';
import { expect, shareRun, test } from '../support/sharedProject.js';

test.describe.configure({ mode: 'default' });

const pages = await servePages();
const other = await servePages();
const failing = createServer((request, response) => {
  response.writeHead(Number(request.url?.slice(1)) || 404, { 'content-type': 'text/html' }).end('<h1>Sorry</h1>');
});
await new Promise<void>((resolve) => failing.listen(0, '127.0.0.1', resolve));
failing.unref();
const failingUrl = (status: number): string => `http://127.0.0.1:${(failing.address() as AddressInfo).port}/${status}`;

const AC1 = { proofTarget: 'AC1' };
const goesOn = { rw: { on_fail: 'continue' } };
const open = (html: string): Node => ({ action: 'ui.navigate', url: pages.url(html) });
// Only the requested pictures: nothing else takes pictures of this node.
const shot = { action: 'ui.screenshot', record: 'none' };
const press = { action: 'ui.press', test_id: 'go' };

type Box = { x: number; y: number; width: number; height: number };

function coloursIn({ pixels, width, channels }: PngImage, box: Box): number {
  const found = new Set<string>();
  for (let y = box.y + 1; y < box.y + box.height - 1; y++)
    for (let x = box.x + 1; x < box.x + box.width - 1; x++) {
      const at = (y * width + x) * channels;
      found.add(Buffer.from(pixels.subarray(at, at + 3)).toString('hex'));
    }
  return found.size;
}

type Cases = Record<string, readonly [nodes: Nodes, code: string]>;

const boxOf = (index: number): Box => ({ x: 20, y: 20 + index * 50, width: 200, height: 40 });
const placed = (index: number): string => `style="position:absolute;left:20px;top:${20 + index * 50}px;width:200px;height:40px"`;
const filled = ['input', 'input type=email', 'input type=search', 'textarea', 'input type=tel', 'input type=url'];
const html = [
  ...filled.map((tag, index) => `<${tag} data-testid=f${index} ${placed(index)}></${tag.split(' ')[0]}>`),
  ...['password', 'PASSWORD', 'password readonly', 'password disabled'].map(
    (type, index) => `<input type=${type} value=hunter2 ${placed(6 + index)}>`,
  ),
  `<input value="not masked" ${placed(10)}>`,
].join('');
const fills = filled.map((_, index) => {
  const fill = { action: 'ui.set_input', test_id: `f${index}`, value: '{{pw}}', record: 'proof_window', ...AC1 };
  return [`fill-${index}`, fill] as const;
});
const seeFirst = { action: 'ui.wait_for', test_id: 'f0', record: 'proof_window', ...AC1 };
const masking = {
  open: open(html),
  ...Object.fromEntries(fills),
  see: seeFirst,
  shot: { action: 'ui.screenshot', path: 'screenshots/all.png', ...AC1 },
};
const masked = recipe(masking, { title: 'Masked', targets: ['AC1'], inputs: { pw: { type: 'secret-ref', ref: 'env:PW' } } });

const unreached = (url: string): Node => ({ action: 'ui.navigate', url, timeout_ms: 5_000, ...goesOn });
const goes = (code: string, more = ''): Node => open(`<button data-testid=go onclick="${code}">go</button>${more}`);
// The opened page reports itself, and then the browser gets time to report the page.
const isOpen = { action: 'ui.wait_for', text: 'It is open' };
const pause = { action: 'wait', duration_ms: 500 };
const tells = '<script>onmessage = () => { document.body.append(" It is open") }</script>';
const opened = (text: string): string => other.url(`<p>${text}</p><script>opener.postMessage(1, "*")</script>`);
const ofOtherPages = {
  blank: [{ shot }, 'ui.no_page'],
  refused: [{ open: open('before'), gone: unreached('http://127.0.0.1:9/'), shot }, 'ui.no_page'],
  unknown: [{ open: open('before'), gone: unreached('http://nobody.invalid/'), shot }, 'ui.no_page'],
  'http-404': [{ open: unreached(failingUrl(404)), shot }, 'ui.no_page'],
  'http-500': [
    { open: goes(`location.href='${failingUrl(500)}'`), press, see: { action: 'ui.wait_for', text: 'Sorry' }, shot },
    'ui.no_page',
  ],
  popup: [
    { open: goes(`window.open('${opened('ad')}', '', 'width=300,height=300')`, tells), press, isOpen, pause, shot },
    'ui.not_in_front',
  ],
  tab: [
    {
      open: open(`<a data-testid=go target=_blank rel=opener href='${opened('tab')}'>go</a>${tells}`),
      press,
      isOpen,
      pause,
      shot,
    },
    'ui.not_in_front',
  ],
  host: [
    {
      open: goes(`location.href='${other.url('<p>elsewhere</p>')}'`),
      press,
      see: { action: 'ui.wait_for', text: 'elsewhere' },
      shot,
    },
    'ui.wrong_host',
  ],
} satisfies Cases;

const all = '<body style="margin:0"><div data-testid=all style="height:720px">text</div>';
const blank = (html: string, fields: object = {}): readonly [Nodes, string] => [
  { open: open(html), shot: { ...shot, ...fields } },
  'ui.blank_picture',
];
const ofOneColour = {
  empty: blank(''),
  coloured: blank('<body style="background:#123456">'),
  white: blank('<p style="color:#fff">white on white</p>'),
  hidden: blank('<p hidden>hidden</p>'),
  beside: blank('<p>text</p><div style="height:500px"></div>', { clip: { x: 0, y: 300, width: 100, height: 100 } }),
  covered: blank(all, { mask: [{ test_id: 'all' }] }),
};
const seeHello = { action: 'ui.wait_for', text: 'Hello', ...AC1 };
const shown = recipe(
  { open: open('<p>Hello</p>'), see: seeHello, shot: { ...shot, ...AC1, path: 'screenshots/a.png' } },
  { title: 'Shown', targets: ['AC1'] },
);

/** One recipe with a claim for each case. It continues after the picture of each case except the last. */
const refused = (title: string, cases: Cases): object => {
  const last = Object.keys(cases).at(-1);
  const nodes = Object.entries(cases).flatMap(([id, [nodes]]) =>
    Object.entries(nodes).map(([name, node]) => [
      `${id}-${name}`,
      node === nodes.shot ? { ...node, proofTarget: id, ...(id === last ? {} : goesOn) } : node,
    ]),
  );
  return recipe(Object.fromEntries(nodes) as Nodes, { title, targets: Object.keys(cases) });
};
const { tab, popup, ...others } = ofOtherPages;
// A page in the background stays in the background, so each of these two cases is the last of its recipe.
const recipes: Record<string, Cases> = { under: { ...others, ...ofOneColour, popup }, beside: { tab } };

const runAll = shareRun(
  {
    'playwright.config.ts': `
      import { defineConfig } from '@playwright/test';
      import { localChromium, recipeProject } from 'recipewright/playwright';
      export default defineConfig({
        workers: 1,
        timeout: ${runMs},
        use: localChromium(),
        reporter: [['list'], ['json', { outputFile: 'report.json' }], ['recipewright/playwright/reporter']],
        projects: [
          recipeProject({ name: 'hud', recipes: 'hud/*.recipe.json', use: { recipeOptions: { hud: {} } } }),
          recipeProject({ name: 'plain', recipes: 'plain/*.recipe.json' }),
        ],
      });`,
    'hud/shown.recipe.json': shown,
    'plain/masked.recipe.json': masked,
    ...Object.fromEntries(Object.entries(recipes).map(([name, cases]) => [`plain/${name}.recipe.json`, refused(name, cases)])),
  },
  {},
  { env: { PW: 'https://correct-horse.77' } },
);

const okOf = (run: Run, expectedTitle: string) => testsIn(run.report).find(({ title }) => title === expectedTitle)?.ok;

test('F44 no picture shows one of 10 fields with a password or a secret, and there is no video', async ({ project }) => {
  const { run } = await runAll(project);
  expect(run.stderr).toBe('');
  expect(okOf(run, 'Masked')).toBe(true);
  const found = packageOf(run, 'plain/masked--plain');
  expectWhole(found);
  const pictures = found.files.filter((file) => file.endsWith('.png'));
  expect(pictures).toContain('screenshots/all.png');
  // The requested picture, and those before and after the nodes of the proof window.
  expect(pictures.length).toBeGreaterThan(6);
  for (const file of pictures) {
    const picture = decodePng(readFileSync(join(found.dir, file)));
    const isAfter = file.endsWith('all.png') || file.endsWith('see-after.png');
    const boxes = Array.from({ length: 10 }, (_, index) => index).filter((index) => isAfter || index >= 6);
    expect
      .soft(
        boxes.map((index) => coloursIn(picture, boxOf(index))),
        file,
      )
      .toEqual(boxes.map(() => 1));
    expect.soft(coloursIn(picture, boxOf(10)), file).toBeGreaterThan(1);
  }
  expect(found.manifest.artifacts.filter(({ type }) => type === 'video')).toEqual([]);
});

/** Expects that a code refuses the pictures: no recipe passes, and no claim has a picture. */
function expectRefused(run: Run, cases: Cases): void {
  expect(run).toMatchObject({ exitCode: 1, passed: 2, failed: 2, flaky: 0 });
  for (const [id, [, code]] of Object.entries(cases)) {
    const name = Object.keys(recipes).find((each) => recipes[each]?.[id]) ?? '';
    const found = packageOf(run, `plain/${name}--plain`);
    expectWhole(found);
    expect.soft(okOf(run, name), name).toBe(false);
    expect.soft(found.summary.status, name).toBe('fail');
    const proof = found.summary.proof.find((each) => each.id === id);
    expect.soft(proof, id).toMatchObject({ artifacts: 0 });
    expect.soft(proof?.status, id).not.toBe('proven');
    const ended = found.lines.find(({ t, path }) => t === 'end' && path === `${id}-shot`);
    expect.soft(ended, id).toMatchObject({ ok: false, error: { code } });
    expect
      .soft(
        found.manifest.artifacts.filter(({ type, proofTarget }) => type === 'screenshot' && proofTarget),
        id,
      )
      .toEqual([]);
  }
}

test('F50 none of 8 pictures of a wrong page proves a claim', async ({ project }) => {
  const { run } = await runAll(project);
  expect(Object.keys(ofOtherPages)).toHaveLength(8);
  expectRefused(run, ofOtherPages);
});

test('F51 none of 6 pictures of a single color proves a claim, and a picture with the HUD has a picture without it beside', async ({
  project,
}) => {
  const { run } = await runAll(project);
  expect(Object.keys(ofOneColour)).toHaveLength(6);
  expectRefused(run, ofOneColour);

  const found = packageOf(run, 'hud/shown--hud');
  expect(found.files).toEqual(expect.arrayContaining(['screenshots/a.png', 'screenshots/a-hud.png']));
  const [raw, withHud] = ['a.png', 'a-hud.png'].map((name) =>
    coloursIn(decodePng(readFileSync(join(found.dir, 'screenshots', name))), { x: 0, y: 400, width: 1280, height: 320 }),
  );
  expect([raw, (withHud ?? 0) > 5]).toEqual([1, true]);
});
