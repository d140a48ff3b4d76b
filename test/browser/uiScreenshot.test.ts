import { describe, expect, test } from 'vitest';
import { Hud } from '../../src/browser/hud/hud.js';
import { decodePng, type PngImage } from '../../src/browser/pngImage.js';
import { runPagesOf } from '../../src/browser/runPages.js';
import { freshPage } from '../support/chromium.js';
import { uiPage } from '../support/uiPage.js';
import { type UiRun, uiRun } from '../support/uiRun.js';

const ui = await uiPage();
const { open, pages } = ui;
const shoot = (fields: object = {}) => ({ action: 'ui.screenshot', ...fields });

function decodeScreenshot({ pictures: [first] }: UiRun): PngImage {
  if (!first) throw new Error('There is no picture.');
  return decodePng(first.body);
}

/** Returns the colours inside a box, as `#rrggbb`. */
function coloursIn(
  { pixels, width, channels }: PngImage,
  box: { x: number; y: number; width: number; height: number },
): Set<string> {
  const found = new Set<string>();
  for (let y = Math.ceil(box.y) + 1; y < Math.floor(box.y + box.height) - 1; y++)
    for (let x = Math.ceil(box.x) + 1; x < Math.floor(box.x + box.width) - 1; x++) {
      const at = (y * width + x) * channels;
      found.add(`#${Buffer.from(pixels.subarray(at, at + 3)).toString('hex')}`);
    }
  return found;
}

describe('ui.screenshot', () => {
  test('ui.screenshot stores a screenshot and records its page', async () => {
    const html = '<title>Cart</title><h1>Total 21</h1>';
    const shot = shoot({ path: 'screenshots/total.png', label: 'The total', proofTarget: 'AC1' });
    const run = await uiRun(
      ui.page,
      { open: open(html), shot, see: { action: 'ui.wait_for', text: 'Total', proofTarget: 'AC1' } },
      { targets: ['AC1'] },
    );
    expect(run.error).toBe('');
    expect(run.pictures).toMatchObject([
      { path: 'screenshots/total.png', label: 'The total', proofTarget: 'AC1', type: 'screenshot', mimeType: 'image/png' },
    ]);
    const output = { captured: true, id: 'page-1', url: pages.url(html), title: 'Cart', viewport: { width: 1280, height: 720 } };
    expect(run.ends.get('shot')?.output).toMatchObject({ ...output, hash: expect.stringMatching(/^[0-9a-f]{64}$/) });
    expect(decodeScreenshot(run)).toMatchObject({ width: 1280, height: 720 });
  });

  test('the hash of ui.screenshot depends on the visible text of the page', async () => {
    const hashOf = async (html: string) => {
      const run = await uiRun(ui.page, {
        open: open('<p id=x></p>'),
        shot: shoot(),
        write: { action: 'ui.wait_for', selector: 'p' },
      });
      await ui.page.evaluate(`document.body.innerHTML = ${JSON.stringify(html)}`);
      const again = await uiRun(ui.page, { shot: shoot() });
      return [run, again].map(({ ends }) => (ends.get('shot')?.output as { hash?: string } | undefined)?.hash).at(-1);
    };
    const [first, same, other] = [await hashOf('<b>a</b>'), await hashOf('<i>a</i>'), await hashOf('b')];
    expect([first === same, first === other]).toEqual([true, false]);
  });

  test('ui.screenshot captures the whole page with full_page, and a part with clip', async () => {
    const html = '<div style="height:2000px;background:linear-gradient(red,blue)">x</div>';
    const whole = await uiRun(ui.page, { open: open(html), shot: shoot({ full_page: true }) });
    expect(decodeScreenshot(whole).height).toBeGreaterThan(2_000);
    const part = await uiRun(ui.page, { open: open(html), shot: shoot({ clip: { x: 10, y: 20, width: 30, height: 40 } }) });
    expect(decodeScreenshot(part)).toMatchObject({ width: 30, height: 40 });
  });

  test('F44: password fields, fields with a secret and masked elements have one colour in a screenshot', async () => {
    const box = (attributes: string, value: string): string =>
      `<input ${attributes} value="${value}" style="display:block;margin:8px;width:200px;height:30px">`;
    const html = [
      ...['password', 'PASSWORD', 'password readonly', 'password disabled'].map((type) => box(`class=m type=${type}`, 'hunter2')),
      box('class=m data-testid=token', ''),
      ...['a', 'b', 'c'].map((id) => box(`class=m data-testid=${id}`, 'shown')),
      '<p class="m" data-testid=d style="width:200px;height:30px">card 4111</p><p class=m style="width:200px;height:30px">IBAN 1234</p>',
      box('id=open', 'not masked'),
    ].join('');
    const mask = [{ test_id: 'a' }, { testID: 'b' }, { selector: '[data-testid=c]' }, { target: 'd' }, { text: 'IBAN' }];
    const inputs = { pw: { type: 'secret-ref', ref: 'env:PW' } };
    const fill = { action: 'ui.set_input', test_id: 'token', value: '{{inputs.pw}}' };
    const run = await uiRun(
      ui.page,
      { open: open(html), fill, shot: shoot({ mask }) },
      { inputs, env: { PW: 'correct-horse-77' } },
    );
    expect(run.error).toBe('');
    const boxes = await Promise.all((await ui.page.locator('.m').all()).map((each) => each.boundingBox()));
    const colours = boxes.map((each) => coloursIn(decodeScreenshot(run), each ?? { x: 0, y: 0, width: 0, height: 0 }).size);
    expect(colours).toEqual(Array.from({ length: 10 }, () => 1));
    const open_ = await ui.page.locator('#open').boundingBox();
    expect(coloursIn(decodeScreenshot(run), open_ ?? { x: 0, y: 0, width: 0, height: 0 }).size).toBeGreaterThan(1);
  });

  test('a password field in a frame is masked in a screenshot', async () => {
    const inner = '<input type=password value=hunter2 style="position:absolute;left:0;top:0;width:200px;height:30px">';
    const html = `<body style="margin:0"><iframe srcdoc='${inner}' style="border:0"></iframe><p>x</p>`;
    const run = await uiRun(ui.page, { open: open(html), shot: shoot() });
    expect(coloursIn(decodeScreenshot(run), { x: 0, y: 0, width: 200, height: 30 }).size).toBe(1);
  });

  const field = '<input type=password value=hunter2 style="position:absolute;left:0;top:0;width:200px;height:30px">';
  test.for([
    ['in a shadow root', `<body><p>x</p><div><template shadowrootmode="open">${field}</template></div>`],
    [
      'that a script has made of a text field',
      `<body><p>x</p>${field.replace('password', 'text id=f')}<script>f.type = 'password'</script>`,
    ],
  ] as const)('a password field %s is masked in a screenshot', async ([, html]) => {
    const run = await uiRun(ui.page, { open: open(html), shot: shoot() });
    expect(coloursIn(decodeScreenshot(run), { x: 0, y: 0, width: 200, height: 30 }).size).toBe(1);
  });

  test('a password field that appears after the first screenshot is masked in the second', async () => {
    const html = `<body><p>x</p><button onclick='this.outerHTML=${JSON.stringify(field)}' style="margin-top:100px">Sign in</button>`;
    const press = { action: 'ui.press', text: 'Sign in' };
    const run = await uiRun(ui.page, {
      open: open(html),
      first: shoot({ path: 'a.png' }),
      press,
      shot: shoot({ path: 'b.png' }),
    });
    expect(run.error).toBe('');
    const [, second] = run.pictures.map(({ body }) => decodePng(body));
    expect(second && coloursIn(second, { x: 0, y: 0, width: 200, height: 30 }).size).toBe(1);
  });

  test('a password field that appears during a screenshot is masked', async () => {
    const page = await freshPage(ui.browser);
    const take = page.screenshot.bind(page);
    // The field appears between the check for password fields and the screenshot.
    page.screenshot = async (options) => {
      await page.evaluate(`document.body.insertAdjacentHTML('afterbegin', ${JSON.stringify(field)})`);
      page.screenshot = take;
      return take(options);
    };
    const run = await uiRun(page, { open: open('<body><p>x</p>'), shot: shoot() });
    await page.close();
    expect(run.error).toBe('');
    expect(coloursIn(decodeScreenshot(run), { x: 0, y: 0, width: 200, height: 30 }).size).toBe(1);
  });

  test('a password field that disappears during a screenshot is masked', async () => {
    const page = await freshPage(ui.browser);
    const take = page.screenshot.bind(page);
    // The field disappears between the screenshot and the check for password fields.
    page.screenshot = async (options) => {
      const shot = await take(options);
      await page.evaluate(`document.querySelector('input').remove()`);
      return shot;
    };
    const run = await uiRun(page, { open: open(`<body><p>x</p>${field}`), shot: shoot() });
    await page.close();
    expect(run.error).toBe('');
    expect(coloursIn(decodeScreenshot(run), { x: 0, y: 0, width: 200, height: 30 }).size).toBe(1);
  });

  test('ui.screenshot violates no content security policy of the page', async () => {
    const page = await freshPage(ui.browser);
    const consoleTexts: string[] = [];
    page.on('console', (message) => consoleTexts.push(message.text()));
    const policy = '<meta http-equiv="Content-Security-Policy" content="style-src \'self\'">';
    const run = await uiRun(page, { open: open(`${policy}<p>Hello</p>`), shot: shoot() });
    await page.close();
    expect([run.error, consoleTexts]).toEqual(['', []]);
  });

  const strange = (name: string): string =>
    `<p>Hello</p><x-y></x-y><script>customElements.define('x-y', class extends HTMLElement { get shadowRoot() { return ${name} } })</script>`;
  test.for([
    ['with an element whose shadowRoot is undefined', strange('undefined')],
    ['with an element whose shadowRoot throws', strange('nobody.knows')],
    [
      'with forms that hide methods of the document',
      '<p>Hello</p><form name=querySelector></form><form name=querySelectorAll></form>',
    ],
  ] as const)('ui.screenshot works on a page %s', async ([, html]) => {
    const run = await uiRun(ui.page, { open: open(html), shot: shoot() });
    expect([run.error, run.pictures.length]).toEqual(['', 1]);
  });

  test('ui.screenshot fails when an element of "mask" is missing', async () => {
    const run = await uiRun(ui.page, { open: open('<p>x</p>'), shot: shoot({ mask: [{ test_id: 'card' }] }) });
    expect(run.error).toMatch(/^ui.not_found: test id "card", which "mask" should hide/);
    expect(run.pictures).toEqual([]);
  });

  test('ui.screenshot stores a second screenshot with the HUD when the HUD is on', async () => {
    const page = await freshPage(ui.browser);
    const hud = new Hud(runPagesOf(page), { display: {}, total: 2 });
    const open_ = open('<p>Hello</p>');
    await uiRun(page, { open: open_ });
    await hud.annotate({ text: 'Look at the greeting', status: 'running' });
    const run = await uiRun(page, { shot: shoot({ path: 'a.png' }) });
    expect(run.pictures.map(({ path }) => path)).toEqual(['a.png', 'a-hud.png']);
    const [raw, withHud] = run.pictures.map(({ body }) => decodePng(body));
    const all = { x: 0, y: 500, width: 1280, height: 220 };
    expect(raw && coloursIn(raw, all).size).toBe(1);
    expect(withHud && coloursIn(withHud, all).size).toBeGreaterThan(5);
    await page.context().close();
  });

  test('ui.screenshot works on a page that breaks its globals', async () => {
    const html = `<p>Hello</p><script>performance.getEntriesByType = () => { throw 1 }</script>`;
    const run = await uiRun(ui.page, { open: open(html), shot: shoot() });
    expect([run.error, run.pictures.length]).toEqual(['', 1]);
  });

  test('ui.screenshot fails on a page that navigates all the time', async () => {
    const html = `<p>Hello</p><script>let n = 0; setInterval(() => history.replaceState({}, '', '/?n=' + n++), 5)</script>`;
    const run = await uiRun(ui.page, { open: open(html), shot: shoot() });
    expect(run.error).toMatch(/^ui.page_moves: .*page is stable/);
    await uiRun(ui.page, { open: open('x') });
  });

  test('ui.screenshot refuses a path that does not end in .png', async () => {
    await expect(uiRun(ui.page, { open: open('x'), shot: shoot({ path: 'a.jpg' }) })).rejects.toThrow(/must end in .png/);
  });

  test('F51: ui.screenshot fails when the screenshot has only one colour', async () => {
    const cases: [string, object?][] = [
      [''],
      ['<body style="background:#123456">'],
      ['<p style="color:#fff">white on white</p>'],
      ['<p hidden>hidden</p>'],
      ['<p>text</p><div style="height:500px"></div>', { clip: { x: 0, y: 300, width: 100, height: 100 } }],
      ['<body style="margin:0"><div data-testid=all style="height:720px">text</div>', { mask: [{ test_id: 'all' }] }],
    ];
    for (const [html, fields] of cases) {
      const run = await uiRun(ui.page, { open: open(html), shot: shoot(fields) });
      expect
        .soft([html, run.error.split(':')[0], run.status, run.pictures.length])
        .toEqual([html, 'ui.blank_picture', 'fail', 0]);
    }
    const dot = '<div style="position:absolute;left:1279px;top:719px;width:1px;height:1px;background:#fffffe"></div>';
    expect((await uiRun(ui.page, { open: open(dot), shot: shoot() })).error).toBe('');
  });
});
