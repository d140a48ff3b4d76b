// A plan as boards. A flow that is called from several places is one board.
import * as z from 'zod';
import type { Declaration } from '../../actions/action.js';
import { phaseOf } from '../../actions/phase.js';
import type { Vocabulary } from '../../actions/vocabulary.js';
import { type Plan, type PlanNode, type Region, reachable } from '../../engine/plan.js';
import type { Flow } from '../../recipe/recipe.js';
import { sayAssertion } from '../sayAssertion.js';
import type { Board, BoardNode, Lane } from './board.js';
import { BoardBuilder } from './boardBuilder.js';

export type Words = {
  vocabulary: Vocabulary;
  flows: ReadonlyMap<string, Flow>;
  title?: string | undefined;
  /** Folded: what a call opens has no board; the box of the call says how much that is. */
  calls?: Calls | undefined;
};

export type Calls = 'open' | 'folded';

export function boardsOf(plan: Plan, words: Words): Board[] {
  const main = boardOf(plan.main, { title: words.title ?? 'Recipe', words, teardown: plan.teardown });
  const opened: Opened = new Map();
  for (const region of plan.teardown ? [plan.main, plan.teardown] : [plan.main]) collect(region, opened, words);
  const others = [...opened].map(([region, { owner, callers }]) =>
    boardOf(region, { title: nameOf(owner, region), note: `Opened by ${[...callers].join(', ')}`, owner, words }),
  );
  return [main, ...others];
}

type Opened = Map<Region, { owner: PlanNode; callers: Set<string> }>;

function collect(start: Region, opened: Opened, words: Words): void {
  const waiting = [start];
  for (let region = waiting.shift(); region; region = waiting.shift()) {
    for (const node of nodesOf(region).flatMap((own) => (own.recover ? [own, own.recover] : [own]))) {
      if (!node.body || isFolded(node, words)) continue;
      const known = opened.get(node.body);
      if (known) known.callers.add(node.id);
      else {
        opened.set(node.body, { owner: node, callers: new Set([node.id]) });
        waiting.push(node.body);
      }
    }
  }
}

function nodesOf(region: Region): PlanNode[] {
  return region.kind === 'each' ? [region.child] : [...region.nodes.values()];
}

function isFolded({ recipe }: PlanNode, { calls }: Words): boolean {
  return calls === 'folded' && typeof recipe.fields.ref === 'string';
}

export function nameOf({ id, recipe }: PlanNode, region: Region): string {
  const { ref } = recipe.fields;
  if (typeof ref === 'string') return `Flow ${ref}`;
  if (region.kind === 'each') return `${id}: for each item${region.limit > 1 ? `, ${region.limit} at a time` : ''}`;
  if (region.kind === 'all') return `${id}: ${region.inTurn ? 'one after the other' : 'side by side'}`;
  return `Inside ${id}`;
}

type Making = { title: string; note?: string; owner?: PlanNode; words: Words; teardown?: Region | undefined };

function boardOf(region: Region, { title, note, owner, words, teardown }: Making): Board {
  const builder = new BoardBuilder((node) => draw(node, words));
  builder.add(region, owner);
  if (teardown) builder.addCleanUp(teardown);
  return { title, ...(note === undefined ? {} : { note }), ...builder.build(reachedIn(region)) };
}

function reachedIn(region: Region): readonly string[] {
  if (region.kind !== 'walk') return [];
  const inside = [...reachable(region)].filter(({ around }) => around === undefined);
  return inside.map(({ node }) => node.id);
}

// A project's own action, of which a package tells the name only.
const unknownAction: Declaration = { name: '', description: '', schema: z.unknown(), examples: [], effect: 'none' };

function draw(plan: PlanNode, words: Words): Omit<BoardNode, 'key'> {
  const { vocabulary, flows } = words;
  const { id, recipe } = plan;
  const declared = vocabulary.get(recipe.action) ?? { ...unknownAction, name: recipe.action };
  const lane: Lane = phaseOf(recipe, declared, flows) ?? 'steps';
  const isEnd = plan.next.kind === 'end';
  const title = isEnd && plan.next.kind === 'end' ? `End: ${plan.next.status}` : (recipe.intent ?? recipe.description ?? id);
  const claims = recipe.proves ?? (recipe.proofTarget === undefined ? [] : [recipe.proofTarget]);
  return { kind: isEnd ? 'end' : 'node', lane, title, id, action: recipe.action, claims, notes: notesOf(plan, words), plan };
}

function notesOf(plan: PlanNode, words: Words): string[] {
  const { body, attempts, recover, recipe } = plan;
  const tries = recover
    ? `tries ${attempts} times, in between: ${recover.recipe.intent ?? recover.id}`
    : `tries ${attempts} times`;
  return [
    ...(recipe.when ? [`only when ${sayAssertion(recipe.when)}`] : []),
    ...(recipe.unless ? [`unless ${sayAssertion(recipe.unless)}`] : []),
    ...(recipe.assert ? [`checks that ${sayAssertion(recipe.assert)}`] : []),
    ...(body ? [`▸ ${nameOf(plan, body)}${isFolded(plan, words) ? `, folded: ${sizeOf(body)}` : ''}`] : []),
    ...(attempts > 1 ? [tries] : []),
    ...(recipe.onFail === 'continue' ? ['goes on when it fails'] : []),
  ];
}

function sizeOf(region: Region): string {
  const count = nodesOf(region).filter(({ next }) => next.kind !== 'end').length;
  return `${count} ${count === 1 ? 'node' : 'nodes'}`;
}
