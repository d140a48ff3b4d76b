import { describe, expect, test } from 'vitest';
import { runPagesOf } from '../../src/browser/runPages.js';
import { freshPage } from '../support/chromium.js';
import { uiPage } from '../support/uiPage.js';
import { uiRun } from '../support/uiRun.js';

const ui = await uiPage();
const { open, title } = ui;
const value = (): Promise<string> => ui.page.evaluate('document.querySelector("input,select,textarea").value') as Promise<string>;

describe('ui.set_input', () => {
  test.for([
    ['by its test id', '<input data-testid=a value=old>', { test_id: 'a', value: 'new' }],
    ['by its label', '<label>Your name <input value=old></label>', { label: 'Your name', value: 'new' }],
    ['by its role', '<input aria-label=Name value=old>', { role: 'textbox', name: 'Name', value: 'new' }],
    ['with text for value', '<textarea data-testid=a>old</textarea>', { test_id: 'a', text: 'new' }],
    ['with a number', '<input type=number data-testid=a>', { test_id: 'a', value: 12 }, '12'],
    [
      'of the type select, by the label of the option',
      '<select data-testid=a><option value=x>Old<option value=new>New one</select>',
      { test_id: 'a', value: 'New one' },
    ],
  ] as const)('ui.set_input fills a field %s', async ([, html, fields, expected = 'new']) => {
    const run = await uiRun(ui.page, { open: open(html), fill: { action: 'ui.set_input', ...fields } });
    expect([run.error, await value()]).toEqual(['', expected]);
  });

  test('ui.set_input triggers the input events of the page', async () => {
    const html = '<input data-testid=a oninput="document.title=this.value">';
    await uiRun(ui.page, { open: open(html), fill: { action: 'ui.set_input', test_id: 'a', value: 'heard' } });
    expect(await title()).toBe('heard');
  });

  test('ui.set_input fails for an element that is not a field, and for two matching fields', async () => {
    const html = '<p data-testid=a>x</p><input name=b><input name=c>';
    const none = await uiRun(ui.page, { open: open(html), fill: { action: 'ui.set_input', test_id: 'a', value: 'x' } });
    expect(none.error).toMatch(/^ui.refused: .*not an <input>/s);
    const two = await uiRun(ui.page, { open: open(html), fill: { action: 'ui.set_input', selector: 'input', value: 'x' } });
    expect(two.error).toMatch(/^ui.ambiguous: input is ambiguous: 2/);
  });
});

describe('ui.set_input with a secret', () => {
  const inputs = { pw: { type: 'secret-ref', ref: 'env:PW' } };
  const env = { PW: 'correct-horse-77' };
  const field = '<input data-testid=pw value=old oninput="document.title=this.value.length">';
  const fill = { action: 'ui.set_input', test_id: 'pw', value: '{{inputs.pw}}' };

  test('ui.set_input types a secret without recording it in calls or the journal', async () => {
    const run = await uiRun(ui.page, { open: open(field), fill }, { inputs, env });
    expect([run.error, await value(), await title()]).toEqual(['', env.PW, String(env.PW.length)]);
    expect(run.calls.length).toBeGreaterThan(2);
    for (const text of [...run.calls, ...run.journal]) expect(text).not.toContain('horse');
  });

  test('ui.set_input fails when the field truncates a secret, without showing the secret', async () => {
    const run = await uiRun(ui.page, { open: open(field.replace('input ', 'input maxlength=5 ')), fill }, { inputs, env });
    expect(run.error).toMatch(/^ui.input_mismatch: The field holds 5 characters after a secret of 16/);
    for (const text of [...run.calls, ...run.journal]) expect(text).not.toContain('corre');
  });

  test('ui.set_input types a value that contains a secret without recording it', async () => {
    const run = await uiRun(ui.page, { open: open(field), fill: { ...fill, value: 'user:{{inputs.pw}}' } }, { inputs, env });
    expect([run.error, await value()]).toEqual(['', `user:${env.PW}`]);
    for (const text of run.calls) expect(text).not.toContain('horse');
  });

  test('a field that contains a secret is masked in screenshots', async () => {
    await uiRun(ui.page, { open: open(field), fill }, { inputs, env });
    const [first] = runPagesOf(ui.page).fieldsToMask();
    expect(await first?.getAttribute('data-testid')).toBe('pw');
  });
});

describe('ui.scroll', () => {
  const tall = '<div style="height:3000px;width:3000px">x</div><button data-testid=deep>deep</button>';
  const box = `<div data-testid=list style="width:200px;height:100px;overflow:auto"><div style="height:900px;width:900px">x</div><p data-testid=row>row</p></div>`;
  const scroll = (fields: object) => ({ action: 'ui.scroll', ...fields });
  const at = (): Promise<number[]> => ui.page.evaluate('[scrollX, scrollY]') as Promise<number[]>;

  test.for([
    ['600 pixels down by default', {}, [0, 600]],
    ['by both distances', { delta_x: 50, delta_y: 70 }, [50, 70]],
    ['sideways only', { delta_x: 40 }, [40, 0]],
  ] as const)('ui.scroll scrolls the page %s', async ([, fields, expected]) => {
    const run = await uiRun(ui.page, { open: open(tall), scroll: scroll(fields) });
    expect([run.error, await at()]).toEqual(['', expected]);
    expect(run.ends.get('scroll')?.output).toMatchObject({ moved_x: expected[0], moved_y: expected[1] });
  });

  test('ui.scroll scrolls the target, or a container in it or around it', async () => {
    for (const test_id of ['list', 'row', 'wrap']) {
      const run = await uiRun(ui.page, {
        open: open(`<div data-testid=wrap>${box}</div>`),
        scroll: scroll({ test_id, delta_y: 80 }),
      });
      expect.soft([test_id, run.error, run.ends.get('scroll')?.output]).toMatchObject([test_id, '', { y: 80, moved_y: 80 }]);
    }
  });

  test('ui.scroll scrolls an element into view, in the page and in a container', async () => {
    for (const [html, test_id] of [
      [tall, 'deep'],
      [`<div style="height:2000px"></div>${box}`, 'row'],
    ] as const) {
      const run = await uiRun(ui.page, { open: open(html), scroll: scroll({ test_id, scroll_into_view: true }) });
      expect.soft(run.error).toBe('');
      const isSeen = `(() => { const { top, bottom } = document.querySelector('[data-testid=${test_id}]').getBoundingClientRect(); return top >= 0 && bottom <= innerHeight })()`;
      expect.soft(await ui.page.evaluate(isSeen)).toBe(true);
    }
  });

  test('ui.scroll fails for a container that does not scroll', async () => {
    const run = await uiRun(ui.page, { open: open('<p data-testid=a>short</p>'), scroll: scroll({ test_id: 'a', delta_y: 9 }) });
    expect(run.error).toMatch(/^ui.not_scrollable: test id "a" does not scroll/);
  });

  test('ui.scroll fails for an element that cannot be scrolled into view', async () => {
    const html = '<div style="position:fixed;top:-500px" data-testid=a>far</div>';
    const run = await uiRun(ui.page, { open: open(html), scroll: scroll({ test_id: 'a', into_view: true, timeout_ms: 1_500 }) });
    expect(run.status).toBe('fail');
    expect(run.error).toMatch(/ui.not_in_view|action.timed_out|ui.refused/);
  });
});

describe('ui.gesture', () => {
  const pad = `<div data-testid=pad style="width:300px;height:200px;background:#eee;touch-action:none">pad</div>
    <script>log = []; for (const name of ['pointerdown', 'pointermove', 'pointerup', 'pointercancel'])
    addEventListener(name, (e) => { log.push([name.slice(7), Math.round(e.clientX), Math.round(e.clientY), e.pointerType, Math.round(e.timeStamp)]); });</script>`;
  const log = async () =>
    (await ui.page.evaluate('log.filter(([n], i, a) => n !== "move" || a.slice(0, i).some(([n]) => n === "down"))')) as [
      string,
      number,
      number,
      string,
      number,
    ][];
  const gesture = (fields: object) => ({ action: 'ui.gesture', ...fields });

  test('ui.gesture swipe moves a finger and scrolls the container', async () => {
    const html = `<div data-testid=list style="width:300px;height:200px;overflow:auto"><div style="width:3000px;height:100px">x</div></div>`;
    const swipe = gesture({ kind: 'swipe', test_id: 'list', direction: 'left', distance: 120 });
    const run = await uiRun(ui.page, { open: open(html), swipe });
    expect(run.error).toBe('');
    await expect.poll(() => ui.page.evaluate('document.querySelector("[data-testid=list]").scrollLeft')).toBeGreaterThan(60);
  });

  test('ui.gesture drag follows its path with the mouse button down', async () => {
    const path = [
      { x: 40, y: 0 },
      { x: 40, y: 30 },
    ];
    const run = await uiRun(ui.page, { open: open(pad), drag: gesture({ kind: 'drag', test_id: 'pad', path, duration_ms: 60 }) });
    const moves = await log();
    expect([run.error, moves[0]?.[0], moves.at(-1)?.[0], moves[0]?.[3]]).toEqual(['', 'down', 'up', 'mouse']);
    const [first, last] = [moves[0], moves.at(-1)];
    expect([(last?.[1] ?? 0) - (first?.[1] ?? 0), (last?.[2] ?? 0) - (first?.[2] ?? 0)]).toEqual([40, 30]);
    expect(moves.length).toBeGreaterThan(4);
  });

  test('ui.gesture pan starts at a point and takes duration_ms', async () => {
    const run = await uiRun(ui.page, {
      open: open(pad),
      pan: gesture({ kind: 'pan', x: 50, y: 60, delta: { x: 100, y: 0 }, duration_ms: 400 }),
    });
    const moves = await log();
    expect([run.error, moves[0]?.slice(0, 3), moves.at(-1)?.slice(0, 3)]).toEqual(['', ['down', 50, 60], ['up', 150, 60]]);
    expect((moves.at(-1)?.[4] ?? 0) - (moves[0]?.[4] ?? 0)).toBeGreaterThan(300);
  });

  test('ui.gesture long_press holds for hold_ms', async () => {
    const run = await uiRun(ui.page, { open: open(pad), hold: gesture({ kind: 'long_press', text: 'pad', hold_ms: 500 }) });
    const moves = await log();
    expect([run.error, moves[0]?.[0], moves.at(-1)?.[0]]).toEqual(['', 'down', 'up']);
    expect((moves.at(-1)?.[4] ?? 0) - (moves[0]?.[4] ?? 0)).toBeGreaterThanOrEqual(490);
  });

  test('ui.gesture drag uses touch on a page with a touch screen', async () => {
    const phone = await freshPage(ui.browser, { hasTouch: true });
    const run = await uiRun(phone, {
      open: open(pad),
      hold: gesture({ kind: 'drag', test_id: 'pad', direction: 'right', distance: 50 }),
    });
    const last = (await phone.evaluate('log.at(-1)')) as unknown[];
    expect([run.error, last[3], last[0]]).toEqual(['', 'touch', 'up']);
    await phone.context().close();
  });

  test('ui.gesture drag without a direction is refused before the run', async () => {
    await expect(uiRun(ui.page, { open: open(pad), drag: gesture({ kind: 'drag', test_id: 'pad' }) })).rejects.toThrow(
      /needs "direction", "path" or "delta"/,
    );
  });
});
