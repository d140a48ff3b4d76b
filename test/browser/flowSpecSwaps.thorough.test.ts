// Pages change between the choice of a target and the click. The flow acts on the chosen element or on none.
import { describe, expect, test } from 'vitest';
import { flowLab } from '../support/flowLab.js';
import type { Json } from '../unit/formats/flowSpec/spec.js';
import type { FlowOptions } from './flowSpecRun.js';

/** Two buttons and two fields. The page counts every event on the wrong one. */
const page = (swaps: string): string => `<p id="log">nothing</p><p id="wrong">0</p><div id="box">
  <button id="good" onclick="say('signed up')">Sign up</button> <button id="bad" onclick="wrong()">Delete account</button></div>
  <label><span id="t1">Code</span> <input id="code"></label> <label><span id="t2">Nickname</span> <input id="nick"></label>
  <script>const $ = (id) => document.getElementById(id);
  const say = (text) => { $('log').textContent = text };
  const wrong = () => { $('wrong').textContent = Number($('wrong').textContent) + 1 };
  $('nick').addEventListener('input', wrong); $('nick').addEventListener('keydown', wrong);
  $('code').addEventListener('input', () => say('typed ' + $('code').value.length));
  const turnNames = () => { [$('good').textContent, $('bad').textContent] = [$('bad').textContent, $('good').textContent];
    [$('good').onclick, $('bad').onclick] = [$('bad').onclick, $('good').onclick] };
  // The page does not change while the pointer is down: no implementation could detect that.
  let isDown = false; addEventListener('pointerdown', () => { isDown = true }, true); addEventListener('click', () => { isDown = false }, true);
  const turnPlaces = () => $('box').append($('box').firstElementChild);
  const onMark = (then) => new MutationObserver((seen, watcher) => { watcher.disconnect(); then(seen[0].target) })
    .observe(document.body, { subtree: true, attributes: true, attributeFilter: ['data-recipewright'] });
  ${swaps}</script>`;

const pageChanges: Record<string, string> = {
  'the neighbour takes its place after the choice': 'onMark(turnPlaces)',
  'both buttons swap places all the time until the press': 'setInterval(() => isDown || turnPlaces(), 1)',
  'both buttons swap names after the choice': 'onMark(turnNames)',
  'both buttons swap names at the first mouse move': "document.addEventListener('pointermove', turnNames, { once: true })",
  'both buttons swap names at each mouse move': "document.addEventListener('pointermove', turnNames)",
  'both buttons swap names all the time until the press': 'setInterval(() => isDown || turnNames(), 3)',
  'the mark is moved to the neighbour':
    "onMark((item) => { $('bad').setAttribute('data-recipewright', item.getAttribute('data-recipewright')); item.removeAttribute('data-recipewright') })",
  'the button is replaced by its neighbour':
    "onMark((item) => { item.outerHTML = item.outerHTML.replace('Sign up', 'Delete all').replace(/onclick=\"[^\"]*\"/, 'onclick=\"wrong()\"') })",
  'the button is replaced by a copy': 'onMark((item) => { item.replaceWith(item.cloneNode(true)) })',
  'the button is replaced by a copy without its mark':
    "onMark((item) => { const next = item.cloneNode(true); next.removeAttribute('data-recipewright'); item.replaceWith(next) })",
};

const lab = await flowLab(async ({ searchParams }) => ({ html: page(searchParams.get('swaps') ?? '') }), {
  ...{ expectMs: 300, stepMs: 20_000 },
});
const at = (swaps: string): Json => ({ url: `${lab.site.origin}/?swaps=${encodeURIComponent(swaps)}` });
const click: Json = { type: 'act', action: 'click', target: 'the sign-up button' };
const read = (selector: string): Json => ({ type: 'extract', selector, into: 'said' });

/** Returns the status of the step, the text of #log, and the number of events on the wrong element. */
async function runStep(step: Json, swaps: string, options: Partial<FlowOptions> = {}): Promise<[string, string, string]> {
  const steps = [{ ...step, optional: true }, read('#log'), { ...read('#wrong'), into: 'wrong' }];
  const { report, ends } = await lab.run(steps, at(swaps), options);
  const texts = ['step-2', 'step-3'].map((id) => (ends.get(id)?.output as { text: string } | undefined)?.text);
  return [report.steps[0]?.status ?? '', texts[0] ?? '', texts[1] ?? ''];
}

describe('a target that was found by its description', () => {
  test('a target that was found by its description is clicked on a page that does not change', async () => {
    expect(await runStep(click, '')).toEqual(['passed', 'signed up', '0']);
  });

  test.for(Object.entries(pageChanges))('the chosen button is clicked, or none, when %s', async ([, swaps]) => {
    // The step may time out. Only a click on the wrong button is a failure here.
    const [status, log, wrong] = await runStep(click, swaps, { stepMs: 6_000 });
    expect([wrong, log]).toEqual(['0', status === 'passed' ? 'signed up' : 'nothing']);
  });

  test.for([
    'the neighbour takes its place after the choice',
    'both buttons swap names after the choice',
    'both buttons swap names at the first mouse move',
    'the button is replaced by a copy',
    'the button is replaced by a copy without its mark',
  ])('the target is found again and clicked when %s', async (pageChange) => {
    expect(await runStep(click, pageChanges[pageChange] ?? '')).toEqual(['passed', 'signed up', '0']);
  });

  test('a refused click fails although the page navigates by itself', async () => {
    const navigatesItself =
      "addEventListener('pointerdown', () => { turnNames(); location.href = '/?swaps=' + encodeURIComponent('document.body.textContent = 1') }, true)";
    const { error } = await lab.run([click], at(navigatesItself));
    expect(error).toContain('flow_spec.spec_step_unresolvable: "the sign-up button" cannot be resolved');
    const clickNavigates = "$('good').onclick = () => { location.href = '/?swaps=' }";
    expect(await lab.run([click], at(clickNavigates))).toMatchObject({ error: '', status: 'pass' });
  });

  test('a target that changes at each mouse move is not clicked, and the message says so', async () => {
    const { error } = await lab.run([click], at(pageChanges['both buttons swap names at each mouse move'] ?? ''));
    expect(error).toContain('"the sign-up button" was resolved to button "Sign up" (1.00), but the page changed that element');
    expect(error).not.toContain('data-recipewright');
  });

  test('a target keeps its mark only when it contains a secret, which screenshots must hide', async () => {
    const code: Json = { type: 'act', action: 'fill', target: 'the code field', value: 'abc' };
    const marked: Json = { type: 'wait', for: '[data-recipewright]', optional: true };
    const { report } = await lab.run([click, code, marked, { ...code, value: '{{CODE}}' }, marked], at(''), {
      env: { CODE: 'tr0ub4dor&3-xx' },
      cutShort: { node: 'step-3', ms: 800 },
    });
    expect(report.steps.map(({ status }) => status)).toEqual(['passed', 'passed', 'failed', 'passed', 'passed']);
  });
});

describe('a field that was found by its description', () => {
  const steals = "$('code').addEventListener('focus', () => $('nick').focus())";
  const once = "$('code').addEventListener('focus', () => $('nick').focus(), { once: true })";

  test.for([
    ['a text', 'abc', {}],
    ['a secret', '{{CODE}}', { CODE: 'tr0ub4dor&3-xx' }],
  ] as const)('another field that takes the focus receives no part of %s', async ([, value, env]) => {
    const fill: Json = { type: 'act', action: 'fill', target: 'the code field', value };
    expect(await runStep(fill, steals, { env })).toEqual(['failed', 'nothing', '0']);
    expect(await runStep(fill, once, { env })).toEqual(['passed', `typed ${value === 'abc' ? 3 : 14}`, '0']);
  });

  // The key that empties a field goes to the focused element, but the secret does not.
  test.for([
    ['fill', '1'],
    ['press', '0'],
  ] as const)('a secret for a pinned field reaches no other field, with %s', async ([action, wrong]) => {
    const pinned: Json = { type: 'act', action, selector: '#code', value: '{{CODE}}' };
    const env = { CODE: 'tr0ub4dor&3-xx' };
    expect(await runStep(pinned, steals, { env })).toEqual(['failed', 'nothing', wrong]);
    expect(await runStep(pinned, once, { env })).toEqual(['passed', 'typed 14', '0']);
  });

  test('a key for a field reaches no other field', async () => {
    const press: Json = { type: 'act', action: 'press', target: 'the code field', value: 'x' };
    expect(await runStep(press, steals)).toEqual(['failed', 'nothing', '0']);
    expect(await runStep(press, '')).toEqual(['passed', 'typed 1', '0']);
  });

  test('nothing is typed into a field after its label has changed', async () => {
    const fill: Json = { type: 'act', action: 'fill', target: 'the code field', value: 'abc' };
    const swapsLabels =
      "onMark(() => { [$('t1').textContent, $('t2').textContent] = ['Nickname', 'Code'] }); $('code').addEventListener('input', wrong)";
    const [status, log, wrong] = await runStep(fill, `$('nick').replaceWith($('nick').cloneNode()); ${swapsLabels}`);
    expect([status, log, wrong]).toEqual(['passed', 'nothing', '0']);
  });
});
