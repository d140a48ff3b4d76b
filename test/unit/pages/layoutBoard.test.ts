// The layout of a graph: boxes and lines do not overlap, lines connect their nodes, and the layout is fast.
import { describe, expect, test } from 'vitest';
import type { Board } from '../../../src/pages/graph/board.js';
import { boxText, textWidth } from '../../../src/pages/graph/boxText.js';
import { type Box, headingHeight, type Layout, layoutBoard, type Point } from '../../../src/pages/graph/layoutBoard.js';
import { cpuMs } from '../../support/cpuMs.js';
import { boardsIn, everyKind, randomRecipe } from './graphs.js';

function layoutOf(board: Board): Layout {
  return layoutBoard(board, new Map([...board.nodes].map(([key, node]) => [key, boxText(node, undefined, false).height])));
}

const intersect = (a: Box, b: Box): boolean =>
  a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;

function overlaps({ boxes }: Layout): string[] {
  const all = [...boxes.values()];
  return all.flatMap((box, index) =>
    all.slice(index + 1).flatMap((other) => (intersect(box, other) ? [`${box.key} ${other.key}`] : [])),
  );
}

/** Returns the boxes through which a line runs, except the boxes at its two ends. */
function crossings({ boxes, lines }: Layout): string[] {
  return lines.flatMap(({ edge, points }) =>
    [...boxes.values()]
      .filter(({ key }) => key !== edge.from && key !== edge.to)
      .filter((box) => points.slice(1).some((point, index) => intersect(box, spanOf(points[index] ?? point, point))))
      .map(({ key }) => `${edge.from} → ${edge.to} over ${key}`),
  );
}

function spanOf(a: Point, b: Point): Box {
  return { key: '', x: Math.min(a.x, b.x), y: Math.min(a.y, b.y), width: Math.abs(a.x - b.x), height: Math.abs(a.y - b.y) };
}

const seeds = Array.from({ length: 50 }, (_, index) => index + 1);

describe('the layout of a graph', () => {
  test.for(seeds)('no box overlaps another box and no line crosses a box in the layout of seed %i', (seed) => {
    for (const board of boardsIn(randomRecipe(seed, 5 + seed))) {
      const layout = layoutOf(board);
      expect(layout.boxes.size).toBe(board.nodes.size);
      expect(layout.lines.length).toBe(board.edges.length);
      expect(overlaps(layout)).toEqual([]);
      expect(crossings(layout)).toEqual([]);
    }
  });

  test.for(boardsIn(everyKind).map((board) => [board.title, board] as const))(
    'the layout of "%s" has only horizontal and vertical lines, and no overlapping boxes',
    ([, board]) => {
      const layout = layoutOf(board);
      expect(overlaps(layout)).toEqual([]);
      expect(crossings(layout)).toEqual([]);
      for (const { points } of layout.lines) {
        for (const [index, point] of points.slice(1).entries()) {
          const before = points[index] as Point;
          expect(before.x === point.x || before.y === point.y).toBe(true);
        }
      }
    },
  );

  test('the layout of 200 nodes repeats the titles of the lanes, without overlapping boxes or lines', () => {
    for (const board of boardsIn(randomRecipe(3, 200))) {
      const layout = layoutOf(board);
      const { lanes, headings, boxes, lines, height } = layout;
      expect(lanes.length).toBeGreaterThan(1);
      const stops = [0, ...headings, height];
      for (const [index, stop] of stops.slice(1).entries()) expect(stop - (stops[index] ?? 0)).toBeLessThan(900);
      const titles = headings.flatMap((y) =>
        lanes.map(({ title, x }): Box => {
          const width = 10 + textWidth(title, { size: 11, bold: true });
          return { key: title, x, y, width, height: headingHeight };
        }),
      );
      expect([...boxes.values()].filter((box) => titles.some((title) => intersect(title, box)))).toEqual([]);
      const linesUnderTitles = lines.filter(({ points }) =>
        points.slice(1).some((point, index) => titles.some((title) => intersect(title, spanOf(points[index] ?? point, point)))),
      );
      expect(linesUnderTitles).toEqual([]);
    }
  });

  test('the layout of a small graph does not repeat the titles of its lanes', () => {
    for (const board of boardsIn(randomRecipe(3, 5))) expect(layoutOf(board)).toMatchObject({ headings: [] });
  });

  test('every line of a layout begins at the bottom of its source and ends at the top of its target', () => {
    for (const board of boardsIn(randomRecipe(7, 40))) {
      const { boxes, lines } = layoutOf(board);
      for (const { edge, points } of lines) {
        const [from, to] = [boxes.get(edge.from) as Box, boxes.get(edge.to) as Box];
        expect(points[0]).toEqual({ x: from.x + from.width / 2, y: from.y + from.height });
        expect(points.at(-1)).toEqual({ x: to.x + to.width / 2, y: to.y });
      }
    }
  });

  test('a layout puts every node below the nodes that lead to it, except in loops', () => {
    const [main] = boardsIn(everyKind);
    const { boxes } = layoutOf(main as Board);
    const y = (id: string): number => [...boxes.values()].find(({ key }) => key.endsWith(`/${id}`))?.y ?? Number.NaN;
    expect([y('open'), y('which'), y('buy'), y('group'), y('again'), y('done'), y('lost')]).toEqual(
      [y('open'), y('which'), y('buy'), y('group'), y('again'), y('done'), y('lost')].sort((a, b) => a - b),
    );
    expect(y('wait')).toBeGreaterThan(y('open'));
  });

  test('the layout of 200 nodes takes less than a second, and a chain of 5,000 nodes does not overflow the stack', () => {
    const layOut = (): void => boardsIn(randomRecipe(3, 200)).forEach((board) => void layoutOf(board));
    expect(cpuMs(layOut)).toBeLessThan(1_000);
    const chain = Array.from({ length: 5_000 }, (_, index) => [
      `n${index}`,
      { action: 'wait', intent: `Wait ${index}`, duration_ms: 0, next: `n${index + 1}` },
    ]);
    const long = {
      schema_version: 1,
      validate: { workflow: { entry: 'n0', nodes: { ...Object.fromEntries(chain), n5000: { action: 'end', status: 'pass' } } } },
    };
    for (const board of boardsIn(long)) expect(layoutOf(board).boxes.size).toBe(5_001);
  });
});
