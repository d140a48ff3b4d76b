// Pages that change between the look at them and the click: what was chosen is acted on, or nothing is.
import { describe, expect, test } from 'vitest';
import { flowLab } from '../support/flowLab.js';
import type { Json } from '../unit/formats/flowSpec/spec.js';
import type { FlowOptions } from './flowSpecRun.js';

/** Two buttons and two fields; whatever happens to one that was not meant counts as wrong. */
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
  // What changes under a finger that is down already changes for everybody.
  let isDown = false; addEventListener('pointerdown', () => { isDown = true }, true); addEventListener('click', () => { isDown = false }, true);
  const turnPlaces = () => $('box').append($('box').firstElementChild);
  const onMark = (then) => new MutationObserver((seen, watcher) => { watcher.disconnect(); then(seen[0].target) })
    .observe(document.body, { subtree: true, attributes: true, attributeFilter: ['data-recipewright'] });
  ${swaps}</script>`;

const ways: Record<string, string> = {
  'its neighbour comes into its place when it was chosen': 'onMark(turnPlaces)',
  'its neighbour comes into its place all the time until it is pressed': 'setInterval(() => isDown || turnPlaces(), 1)',
  'it gets the name of its neighbour when it was chosen': 'onMark(turnNames)',
  'it gets the name of its neighbour when the mouse comes': "document.addEventListener('pointermove', turnNames, { once: true })",
  'it gets the name of its neighbour each time the mouse comes': "document.addEventListener('pointermove', turnNames)",
  'it changes names with its neighbour all the time until it is pressed': 'setInterval(() => isDown || turnNames(), 3)',
  'its mark is put on its neighbour':
    "onMark((item) => { $('bad').setAttribute('data-recipewright', item.getAttribute('data-recipewright')); item.removeAttribute('data-recipewright') })",
  'it is drawn anew, as its neighbour':
    "onMark((item) => { item.outerHTML = item.outerHTML.replace('Sign up', 'Delete all').replace(/onclick=\"[^\"]*\"/, 'onclick=\"wrong()\"') })",
  'it is drawn anew': 'onMark((item) => { item.replaceWith(item.cloneNode(true)) })',
  'it is drawn anew without its mark':
    "onMark((item) => { const next = item.cloneNode(true); next.removeAttribute('data-recipewright'); item.replaceWith(next) })",
};

const lab = await flowLab(async ({ searchParams }) => ({ html: page(searchParams.get('swaps') ?? '') }), {
  ...{ expectMs: 300, stepMs: 20_000 },
});
const at = (swaps: string): Json => ({ url: `${lab.site.origin}/?swaps=${encodeURIComponent(swaps)}` });
const click: Json = { type: 'act', action: 'click', target: 'the sign-up button' };
const read = (selector: string): Json => ({ type: 'extract', selector, into: 'said' });

/** What became of the step, what the page says, and how often something else was hit. */
async function acted(step: Json, swaps: string, options: Partial<FlowOptions> = {}): Promise<[string, string, string]> {
  const steps = [{ ...step, optional: true }, read('#log'), { ...read('#wrong'), into: 'wrong' }];
  const { report, ends } = await lab.run(steps, at(swaps), options);
  const said = ['step-2', 'step-3'].map((id) => (ends.get(id)?.output as { text: string } | undefined)?.text);
  return [report.steps[0]?.status ?? '', said[0] ?? '', said[1] ?? ''];
}

describe('a target that was found by its words', () => {
  test('is clicked on a page that stays as it is', async () => {
    expect(await acted(click, '')).toEqual(['passed', 'signed up', '0']);
  });

  test.for(Object.entries(ways))('is clicked itself, or not at all, when %s', async ([, swaps]) => {
    // Whether it is clicked in time is not what this is about.
    const [status, said, wrong] = await acted(click, swaps, { stepMs: 6_000 });
    expect([wrong, said]).toEqual(['0', status === 'passed' ? 'signed up' : 'nothing']);
  });

  test.for([
    'its neighbour comes into its place when it was chosen',
    'it gets the name of its neighbour when it was chosen',
    'it gets the name of its neighbour when the mouse comes',
    'it is drawn anew',
    'it is drawn anew without its mark',
  ])('is found again and clicked when %s', async (way) => {
    expect(await acted(click, ways[way] ?? '')).toEqual(['passed', 'signed up', '0']);
  });

  test('was not clicked when the click was refused and the page went on by itself', async () => {
    const goesOn =
      "addEventListener('pointerdown', () => { turnNames(); location.href = '/?swaps=' + encodeURIComponent('document.body.textContent = 1') }, true)";
    const { error } = await lab.run([click], at(goesOn));
    expect(error).toContain('flow_spec.spec_step_unresolvable: "the sign-up button" cannot be resolved');
    const leads = "$('good').onclick = () => { location.href = '/?swaps=' }";
    expect(await lab.run([click], at(leads))).toMatchObject({ error: '', status: 'pass' });
  });

  test('is left alone when the page makes something else of it each time, and the message says so', async () => {
    const { error } = await lab.run([click], at(ways['it gets the name of its neighbour each time the mouse comes'] ?? ''));
    expect(error).toContain('"the sign-up button" was resolved to button "Sign up" (1.00), but the page changed that element');
    expect(error).not.toContain('data-recipewright');
  });

  test('leaves no mark behind, unless it took a secret that pictures must not show', async () => {
    const code: Json = { type: 'act', action: 'fill', target: 'the code field', value: 'abc' };
    const marked: Json = { type: 'wait', for: '[data-recipewright]', optional: true };
    const { report } = await lab.run([click, code, marked, { ...code, value: '{{CODE}}' }, marked], at(''), {
      env: { CODE: 'tr0ub4dor&3-xx' },
      cutShort: { node: 'step-3', ms: 800 },
    });
    expect(report.steps.map(({ status }) => status)).toEqual(['passed', 'passed', 'failed', 'passed', 'passed']);
  });
});

describe('a field that was found by its words', () => {
  const steals = "$('code').addEventListener('focus', () => $('nick').focus())";
  const once = "$('code').addEventListener('focus', () => $('nick').focus(), { once: true })";

  test.for([
    ['a text', 'abc', {}],
    ['a secret', '{{CODE}}', { CODE: 'tr0ub4dor&3-xx' }],
  ] as const)('takes %s itself: another field that steals the focus gets none of it', async ([, value, env]) => {
    const fill: Json = { type: 'act', action: 'fill', target: 'the code field', value };
    expect(await acted(fill, steals, { env })).toEqual(['failed', 'nothing', '0']);
    expect(await acted(fill, once, { env })).toEqual(['passed', `typed ${value === 'abc' ? 3 : 14}`, '0']);
  });

  // The key that empties a field goes where the focus is; the secret does not.
  test.for([
    ['fill', '1'],
    ['press', '0'],
  ] as const)('takes a secret itself when it is pinned, by %s', async ([action, wrong]) => {
    const pinned: Json = { type: 'act', action, selector: '#code', value: '{{CODE}}' };
    const env = { CODE: 'tr0ub4dor&3-xx' };
    expect(await acted(pinned, steals, { env })).toEqual(['failed', 'nothing', wrong]);
    expect(await acted(pinned, once, { env })).toEqual(['passed', 'typed 14', '0']);
  });

  test('gets a key itself, or nobody does', async () => {
    const press: Json = { type: 'act', action: 'press', target: 'the code field', value: 'x' };
    expect(await acted(press, steals)).toEqual(['failed', 'nothing', '0']);
    expect(await acted(press, '')).toEqual(['passed', 'typed 1', '0']);
  });

  test('is not typed into once it is called otherwise', async () => {
    const fill: Json = { type: 'act', action: 'fill', target: 'the code field', value: 'abc' };
    const turned =
      "onMark(() => { [$('t1').textContent, $('t2').textContent] = ['Nickname', 'Code'] }); $('code').addEventListener('input', wrong)";
    const [status, said, wrong] = await acted(fill, `$('nick').replaceWith($('nick').cloneNode()); ${turned}`);
    expect([status, said, wrong]).toEqual(['passed', 'nothing', '0']);
  });
});
