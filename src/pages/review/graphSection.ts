// The graph in the page: the recipe open, what its nodes open folded.
import type { Board } from '../graph/board.js';
import { buildBoards } from '../graph/buildBoards.js';
import { PathTaken } from '../graph/pathTaken.js';
import { readGraph } from '../graph/readGraph.js';
import { renderBoardSvg } from '../graph/renderSvg.js';
import { type Html, html, raw } from '../html.js';

/** A drawing of more boxes than these helps nobody, and would be most of the page. */
const maxBoxes = 600;

export type RunGraph = { boards: readonly Board[]; taken: PathTaken };

type GraphPart = { taken?: PathTaken; section(): Html; way(): RunGraph | undefined };

export function createGraphPart(recipe: unknown): GraphPart {
  // Whoever writes a long run does not wait for a drawing that nobody would see.
  const count = countNodes(recipe);
  const graph = count > maxBoxes ? `It has ${count} nodes, too many for this page.` : readGraph(recipe);
  if (typeof graph === 'string') return { section: () => graphFrame(html`<p>${graph}</p>`), way: () => undefined };
  const { plan, options } = graph;
  const taken = new PathTaken(plan);
  let boards: readonly Board[] | undefined;
  const way = (): RunGraph => {
    boards ??= buildBoards(plan, options);
    return { boards, taken };
  };
  return { taken, way, section: () => graphFrame(renderBoards(way())) };
}

function countNodes(recipe: unknown): number {
  const { validate } = (recipe ?? {}) as { validate?: { workflow?: { nodes?: object } } };
  return Object.keys(validate?.workflow?.nodes ?? {}).length;
}

function renderBoards({ boards, taken }: RunGraph): Html {
  const [main, ...others] = boards;
  let room = maxBoxes;
  const draw = (board: Board): Html => {
    room -= board.nodes.size;
    if (room < 0)
      return html`<p class="note">${board.nodes.size} boxes are too many for this page: <code>recipewright graph recipe.json --package .</code> draws them.</p>`;
    return html`<div class="scroll picture" tabindex="0" role="group" aria-label="Graph of ${board.title}">${raw(renderBoardSvg(board, { taken, linked: true }))}</div>`;
  };
  return html`${main && draw(main)}${others.map((board) => html`<details class="flow"><summary>${board.title} <span class="dim">${board.note}</span></summary>${draw(board)}</details>`)}`;
}

function graphFrame(inner: Html): Html {
  return html`<section id="graph" aria-labelledby="graph-h"><h2 id="graph-h">Graph</h2>${inner}</section>`;
}
