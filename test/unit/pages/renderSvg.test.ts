// The picture of a recipe: its content, what a run adds, and the escaping of the recipe's strings.
import { describe, expect, test } from 'vitest';
import type { TraceEntryJson } from '../../../src/evidence/models/traceModel.js';
import { buildBoards } from '../../../src/pages/graph/buildBoards.js';
import { PathTaken } from '../../../src/pages/graph/pathTaken.js';
import { renderMermaid } from '../../../src/pages/graph/renderMermaid.js';
import { renderSvg } from '../../../src/pages/graph/renderSvg.js';
import { hostileTexts } from '../../support/hostileTexts.js';
import { boardsIn, done, everyKind, graphOf, recipeOf, step } from './graphs.js';

const entry = (nodeId: string, rest: Partial<TraceEntryJson> = {}): TraceEntryJson => ({
  nodeId,
  action: 'command',
  ok: true,
  durationMs: 5,
  ...rest,
});

const run: TraceEntryJson[] = [
  entry('setup:0', { next: 'open' }),
  entry('open', { next: 'which' }),
  entry('which', { action: 'switch', next: 'wait', output: { case: 1, next: 'wait' } }),
  entry('wait', { next: 'open', durationMs: 1_500 }),
  entry('open#2', { next: 'which' }),
  entry('which#2', { action: 'switch', next: 'buy', output: { case: 0, next: 'buy' } }),
  entry('buy/ask', { ok: false, error: 'It says nothing.' }),
  entry('buy', { ok: false, error: 'It failed inside.' }),
  entry('teardown:0'),
];

function draw(entries: readonly TraceEntryJson[] = run) {
  const { plan, options } = graphOf(everyKind);
  const taken = new PathTaken(plan);
  for (const traceEntry of entries) taken.add(traceEntry);
  const boards = buildBoards(plan, options);
  return { boards, taken, svg: renderSvg(boards, { taken }), text: renderMermaid(boards, taken) };
}

/** Returns the SVG of the box whose tooltip begins with an intent. */
function boxOf(svg: string, intent: string): string {
  return new RegExp(`<g class="([^"]*)"><title>${intent}.*?</g>`, 's').exec(svg)?.[0] ?? '';
}

describe('the picture of a recipe', () => {
  const svg = renderSvg(boardsIn(everyKind));

  test('the picture has lanes only for the phases of the recipe, in their order', () => {
    const titles = [...svg.matchAll(/font-size="12" font-weight="600" text-anchor="middle">([^<]+)</g)].map(([, title]) => title);
    expect(titles).toEqual(['Setup', 'Steps', 'Proof', 'Teardown']);
  });

  test('the picture describes the conditions of a switch, and the default case', () => {
    expect(svg).toContain('when open exitCode is 0');
    expect(svg).toContain('<title>when open stdout has &quot;closed&quot; and inputs patience is more than 3</title>');
    expect(svg).toContain('>otherwise<');
  });

  test('the picture marks nodes that prove a claim, and unreachable nodes', () => {
    expect(boxOf(svg, 'Ask for the price')).toContain('class="g-node g-proof"');
    expect(boxOf(svg, 'Ask for the price')).toContain('◆ proves AC1');
    expect(boxOf(svg, 'No node leads here')).toContain('unreachable');
  });

  test('the picture has each flow once, with the nodes that call it', () => {
    expect(boardsIn(everyKind).map(({ title, note }) => [title, note])).toEqual([
      ['A recipe to be drawn', undefined],
      ['Flow shop.ask', 'Used by buy, again'],
      ['group: in parallel', 'Used by group'],
    ]);
  });

  test('with folded calls, the picture shows the size of a called flow in the box of the call', () => {
    const { plan, options } = graphOf(everyKind);
    const boards = buildBoards(plan, { ...options, calls: 'folded' });
    expect(boards.map(({ title }) => title)).toEqual(['A recipe to be drawn', 'group: in parallel']);
    const folded = renderSvg(boards);
    expect(boxOf(folded, 'Ask once more')).toContain('▸ Flow shop.ask, folded: 1 node');
    expect(folded).not.toContain('Ask the shop');
    expect(boxOf(svg, 'Ask once more')).toContain('▸ Flow shop.ask<');
    const text = renderMermaid(boards);
    expect(text).toContain('▸ Flow shop.ask, folded: 1 node');
    expect(text).not.toMatch(/subgraph b2|Ask the shop/);
    // A folded call whose flow failed is still shown as failed.
    const taken = new PathTaken(plan);
    for (const traceEntry of run) taken.add(traceEntry);
    expect(boxOf(renderSvg(boards, { taken }), 'Ask for the price')).toContain('g-fail');
  });

  test('the picture has colours for the light and the dark theme', () => {
    expect(svg).toMatch(/prefers-color-scheme:dark/);
  });

  test('the same recipe gives the same picture', () => {
    expect(renderSvg(boardsIn(everyKind))).toBe(svg);
  });
});

describe('the path of a run', () => {
  test('the picture of a run shows the result, order, visits and duration of each node', () => {
    const { svg } = draw();
    expect(boxOf(svg, 'Open the shop')).toContain('2. passed · 10 ms · 2 times');
    expect(boxOf(svg, 'Wait for it')).toContain('4. passed · 1.5 s');
    expect(boxOf(svg, 'Ask for the price')).toMatch(/g-fail.*6\. failed · 5 ms/s);
    expect(boxOf(svg, 'Ask once more')).toMatch(/g-none.*not reached/s);
  });

  test('the Mermaid text of a run shows the same results as the picture', () => {
    const { text } = draw();
    const box = (intent: string): string => text.split('\n').find((line) => line.includes(`["${intent}`)) ?? '';
    expect(box('Open the shop')).toContain('<br/>2#46; passed · 10 ms · 2 times"]:::pass');
    expect(box('Wait for it')).toContain('<br/>4#46; passed · 1.5 s"]:::pass');
    expect(box('Ask for the price')).toContain('<br/>6#46; failed · 5 ms"]:::fail');
    expect(box('Ask once more')).toContain('<br/>not reached"]:::none');
    expect(renderMermaid(boardsIn(everyKind))).not.toMatch(/passed|not reached/);
  });

  test('the picture distinguishes a running node from one that did not finish', () => {
    const { svg, text } = draw([...run.slice(0, 3), { ...entry('wait'), running: true } as TraceEntryJson]);
    expect(boxOf(svg, 'Wait for it')).toMatch(/g-run.*4\. is running</s);
    expect(text).toMatch(/4#46; is running"\]:::run\n/);
    const unfinished = draw([...run.slice(0, 3), entry('wait', { ok: false, unfinished: true })]);
    expect(boxOf(unfinished.svg, 'Wait for it')).toMatch(/g-fail.*4\. did not finish · 5 ms/s);
  });

  test('the picture of a flow shows the results of all its calls', () => {
    expect(boxOf(draw().svg, 'Ask the shop')).toMatch(/g-fail/);
    const second = draw([...run.slice(0, 6), entry('again/ask'), entry('again')]);
    expect(boxOf(second.svg, 'Ask the shop')).toMatch(/g-pass/);
  });

  test('the Mermaid text of a run marks only the cases that the run took', () => {
    const { text } = draw(run.slice(0, 4));
    expect(text).toMatch(/ -->\|"when open stdout/);
    expect(text).toMatch(/ -\.->\|"when open exitCode/);
    expect(text).toMatch(/ -\.->\|"otherwise"/);
  });

  test('visits of a node are counted even if its id looks like a path or a visit', () => {
    const odd = recipeOf('a/b', {
      'a/b': step('Slash', 'c#2'),
      'c#2': step('Visit', 'd[1]'),
      'd[1]': step('Item', 'done'),
      done,
    });
    const { plan, options } = graphOf(odd);
    const taken = new PathTaken(plan);
    for (const id of ['a/b', 'c#2', 'c#2#2', 'd[1]', 'none', 'a/none']) taken.add(entry(id));
    const counts = [...(buildBoards(plan, options)[0]?.nodes.values() ?? [])].map((node) => [
      node.id,
      taken.visitsOf(node.plan)?.count,
    ]);
    expect(counts).toEqual([
      ['a/b', 1],
      ['c#2', 2],
      ['d[1]', 1],
      ['done', undefined],
    ]);
  });

  test('a run of another recipe has no visits', () => {
    const { plan } = graphOf(everyKind);
    const taken = new PathTaken(plan);
    taken.add(entry('elsewhere'));
    expect(taken.hasVisits).toBe(false);
  });
});

describe('strings of a recipe in its picture', () => {
  const attacks = [
    '<script>alert(1)</script>',
    '"><img src=x onerror=alert(1)>',
    "' onload='alert(1)",
    ']]><script>',
    '&lt;b&gt;',
    '"] --> x["',
    '`**b**`',
    '1. a list',
    '- a list',
    ...hostileTexts,
  ];

  test.for(attacks)('a string of a recipe is escaped in SVG and Mermaid: %j', (attack) => {
    const hostile = recipeOf(
      'a',
      { a: step(`Look at ${attack}`, 'done', { assert: { path: '$.a', operator: 'eq', value: attack } }), done },
      { title: attack },
    );
    const boards = boardsIn(hostile);
    const svg = renderSvg(boards);
    const tags = new Set([...svg.matchAll(/<\/?([^\s>/]+)/g)].map(([, name]) => name));
    expect([...tags].sort()).toEqual(['g', 'path', 'rect', 'style', 'svg', 'text', 'title']);
    expect(svg).not.toMatch(/ on\w+="/);
    expect(svg.trimEnd()).not.toMatch(/\p{C}|[\u2028\u2029]|##\[/u);
    for (const line of renderMermaid(boards).trimEnd().split('\n'))
      expect(line).toMatch(
        /^( *(flowchart TD|subgraph \w+\["[^"]*"\]|n\d+(\["[^"]*"\]|\(\["[^"]*"\]\))(:::\w+)?|end|n\d+ -->(\|"[^"]*"\|)? n\d+|classDef \w+ [\w:#,;. -]+))$/,
      );
  });
});
