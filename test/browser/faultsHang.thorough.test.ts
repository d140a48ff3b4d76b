// A page that hangs does not extend the timeout of a node (F49).
import { describe, expect, test } from 'vitest';
import { freshPage } from '../support/chromium.js';
import { hang } from '../support/hang.js';
import type { Node } from '../support/recipe.js';
import { uiPage } from '../support/uiPage.js';
import { uiRun } from '../support/uiRun.js';

const ui = await uiPage();
const { open } = ui;

describe('F49: a page that hangs', () => {
  const hangs = '<button data-testid=a>x</button><input data-testid=i><p>text</p>';
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
  ])('F49: on a page that hangs, %s ends with the timeout of its node', async ([name, node]) => {
    const page = await freshPage(ui.browser);
    const nodes = { open: open(hangs), node: { ...node, timeout_ms } };
    const run = await uiRun(page, nodes, { began: (id) => (id === 'node' ? hang(page) : undefined) });
    expect(run).toMatchObject({ status: 'fail', cause: 'subject' });
    expect(run.ends.get('open')).toMatchObject({ ok: true });
    // Scrolling has its own, shorter timeout.
    if (name !== 'scroll') expect(run.error).toContain(`The node did not finish within ${timeout_ms} ms.`);
    await page.context().close();
  });
});
