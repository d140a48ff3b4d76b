// Renders the graph section of the review page. The graph of the recipe is open, the graphs of its flows and bodies are collapsed.
import type { Board } from '../graph/board.js';
import { buildBoards } from '../graph/buildBoards.js';
import { PathTaken } from '../graph/pathTaken.js';
import { readGraph } from '../graph/readGraph.js';
import { renderBoardSvg } from '../graph/renderSvg.js';
import { type Html, html, raw } from '../html.js';

/** A larger drawing would be unreadable, and would make up most of the page. */
const maxBoxes = 600;

export type RunGraph = { boards: readonly Board[]; taken: PathTaken };

type GraphPart = { taken?: PathTaken; section(): Html; runGraph(): RunGraph | undefined };

export function createGraphPart(recipe: unknown): GraphPart {
  // The nodes are counted first, because reading a graph takes time and a large one is not drawn.
  const count = countNodes(recipe);
  const graph = count > maxBoxes ? `The graph has ${count} nodes, too many for this page.` : readGraph(recipe);
  if (typeof graph === 'string') return { section: () => graphFrame(html`<p>${graph}</p>`), runGraph: () => undefined };
  const { plan, options } = graph;
  const taken = new PathTaken(plan);
  let boards: readonly Board[] | undefined;
  const runGraph = (): RunGraph => {
    boards ??= buildBoards(plan, options);
    return { boards, taken };
  };
  return { taken, runGraph, section: () => graphFrame(renderBoards(runGraph())) };
}

function countNodes(recipe: unknown): number {
  const { validate } = (recipe ?? {}) as { validate?: { workflow?: { nodes?: object } } };
  return Object.keys(validate?.workflow?.nodes ?? {}).length;
}

function renderBoards({ boards, taken }: RunGraph): Html {
  const [main, ...others] = boards;
  let boxesLeft = maxBoxes;
  const draw = (board: Board): Html => {
    boxesLeft -= board.nodes.size;
    if (boxesLeft < 0)
      return html`<p class="note">This part has ${board.nodes.size} boxes, too many for this page. Run <code>recipewright graph recipe.json --package .</code> to draw it.</p>`;
    return html`<div class="scroll picture" tabindex="0" role="group" aria-label="Graph of ${board.title}">${raw(renderBoardSvg(board, { taken, linked: true }))}</div>`;
  };
  return html`${main && draw(main)}${others.map((board) => html`<details class="flow"><summary>${board.title} <span class="dim">${board.note}</span></summary>${draw(board)}</details>`)}`;
}

function graphFrame(inner: Html): Html {
  return html`<section id="graph" aria-labelledby="graph-h"><h2 id="graph-h">Graph</h2>${inner}</section>`;
}
