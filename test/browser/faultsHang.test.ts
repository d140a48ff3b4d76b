// A page that never answers ends no run later than its nodes may take (row F49).
import { describe, expect, test } from 'vitest';
import { freshPage } from '../support/chromium.js';
import type { Node } from '../support/recipe.js';
import { uiPage } from '../support/uiPage.js';
import { uiRun } from '../support/uiRun.js';

const ui = await uiPage();
const { open } = ui;

describe('F49: on a page that never answers, a node ends at its timeout and at most a second later:', () => {
  const hangs =
    '<button data-testid=a>x</button><input data-testid=i><p>text</p><script>onload = () => setTimeout(() => { for (;;) {} }, 100)</script>';
  const timeout_ms = 600;
  test.for<[string, Node]>([
    ['press', { action: 'ui.press', test_id: 'a' }],
    ['press at a point', { action: 'ui.press', x: 5, y: 5 }],
    ['wait_for', { action: 'ui.wait_for', text: 'missing' }],
    ['wait_for an event', { action: 'ui.wait_for', event: 'never' }],
    ['set_input', { action: 'ui.set_input', test_id: 'i', value: 'x' }],
    ['key_press', { action: 'ui.key_press', key: 'a' }],
    ['scroll', { action: 'ui.scroll', delta_y: 5 }],
    ['gesture', { action: 'ui.gesture', kind: 'drag', x: 5, y: 5, delta: { x: 5, y: 5 } }],
    ['screenshot', { action: 'ui.screenshot' }],
  ])('%s', async ([, node]) => {
    const page = await freshPage(ui.browser);
    const run = await uiRun(page, {
      open: open(hangs),
      pause: { action: 'wait', duration_ms: 300 },
      node: { ...node, timeout_ms },
    });
    expect(run).toMatchObject({ status: 'fail', cause: 'subject' });
    expect(run.ends.get('open')).toMatchObject({ ok: true });
    expect(run.ends.get('node')?.ms).toBeLessThan(timeout_ms + 1_000);
    await page.context().close();
  });
});
