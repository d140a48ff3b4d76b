// Coordinates for the boxes and edges of a board: phases as lanes side by side, time from top to bottom.
import type { Board, BoardEdge } from './board.js';
import { type Bend, Gaps, trackGap } from './gaps.js';
import { type Place, placeNodes } from './placeNodes.js';
import { type Column, type Route, routeEdges } from './routeEdges.js';

export type Point = { x: number; y: number };
export type Box = Point & { key: string; width: number; height: number };
export type LaneBox = { title: string; x: number; width: number };

export type Layout = {
  boxes: ReadonlyMap<string, Box>;
  lines: readonly { edge: BoardEdge; points: readonly Point[] }[];
  lanes: readonly LaneBox[];
  /** Where the titles of the lanes stand once more, as nobody sees the top of a long graph from its middle. */
  headings: readonly number[];
  width: number;
  height: number;
};

export const boxWidth = 232;
const columnGap = 24;
const lanePadding = 16;

/** `heights`: of each box, by its key. */
export function layoutBoard(board: Board, heights: ReadonlyMap<string, number>): Layout {
  const placing = placeNodes(board);
  const { routes, tracks } = routeEdges(board.edges, placing);
  const { laneBoxes, width } = acrossOf(placing.lanes, tracks);
  const xOf = (column: Column): number => across(column, laneBoxes, width);
  const gaps = new Gaps(placing.rows.length + 1);
  const bends = routes.map((route) => bendsOf(route, xOf, gaps));
  gaps.settle();
  const once = downOf(placing.rows, heights, { gaps, namesLanes: false });
  const isLong = laneBoxes.length > 1 && once.height > longestUnnamed;
  const rows = isLong ? downOf(placing.rows, heights, { gaps, namesLanes: true }) : once;
  const boxes = new Map<string, Box>();
  for (const [key, place] of placing.places) {
    const height = heights.get(key) ?? 0;
    boxes.set(key, { key, x: xOf(place) - boxWidth / 2, y: rows.tops[place.row] ?? 0, width: boxWidth, height });
  }
  const lines = routes.map(({ edge }, index) => ({ edge, points: pointsOf(edge, { boxes, bends: bends[index] ?? [], rows }) }));
  return { boxes, lines, lanes: laneBoxes, headings: rows.headings, width, height: rows.height };
}

function acrossOf(lanes: readonly { title: string; columns: number }[], tracks: readonly number[]) {
  let x = 0;
  const gutter = (index: number): number => ((tracks[index] ?? 0) > 0 ? ((tracks[index] ?? 0) + 1) * trackGap : trackGap);
  const laneBoxes = lanes.map(({ title, columns }, index): LaneBox => {
    x += gutter(index);
    const width = columns * (boxWidth + columnGap) - columnGap + 2 * lanePadding;
    const box = { title, x, width };
    x += width;
    return box;
  });
  return { laneBoxes, width: x + gutter(lanes.length) };
}

function across(column: Column, lanes: readonly LaneBox[], width: number): number {
  if ('gutter' in column) return (lanes[column.gutter]?.x ?? width) - (column.track + 1) * trackGap;
  const { x, width: laneWidth } = lanes[column.lane] ?? { x: 0, width: 0 };
  return x + laneWidth / 2 + column.slot * (boxWidth + columnGap);
}

function bendsOf({ edge, from, to, over }: Route, xOf: (column: Column) => number, gaps: Gaps): Bend[] {
  const [start, end] = [xOf(asColumn(from)), xOf(asColumn(to))];
  if (!over) return gaps.bend({ gap: to.row, from: start, to: end, target: edge.to });
  const middle = xOf(over);
  return [
    ...gaps.bend({ gap: from.row + 1, from: start, to: middle, target: edge.to }),
    ...gaps.bend({ gap: to.row, from: middle, to: end, target: edge.to }),
  ];
}

function asColumn({ lane, slot }: Place): Column {
  return { lane, slot };
}

/** A shorter graph is seen at once, or nearly so. */
const longestUnnamed = 1_200;
/** Less than what is seen of a graph in a page. */
const headingEvery = 480;
export const headingHeight = 24;

type Down = { tops: number[]; gapTops: number[]; headings: number[]; height: number };
type Space = { gaps: Gaps; namesLanes: boolean };

function downOf(rows: readonly (readonly string[])[], heights: ReadonlyMap<string, number>, { gaps, namesLanes }: Space): Down {
  const down: Down = { tops: [], gapTops: [], headings: [], height: 0 };
  for (const [index, keys] of rows.entries()) {
    if (namesLanes && down.height - (down.headings.at(-1) ?? 0) > headingEvery) {
      down.headings.push(down.height);
      down.height += headingHeight;
    }
    down.gapTops.push(down.height);
    down.height += gaps.heightOf(index);
    down.tops.push(down.height);
    down.height += Math.max(...keys.map((key) => heights.get(key) ?? 0));
  }
  down.gapTops.push(down.height);
  down.height += gaps.heightOf(rows.length);
  return down;
}

type Drawn = { boxes: ReadonlyMap<string, Box>; bends: readonly Bend[]; rows: Down };

function pointsOf({ from, to }: BoardEdge, { boxes, bends, rows }: Drawn): Point[] {
  const [source, target] = [boxes.get(from), boxes.get(to)];
  if (!source || !target) return [];
  const points: Point[] = [{ x: source.x + source.width / 2, y: source.y + source.height }];
  for (const bend of bends) {
    const y = (rows.gapTops[bend.gap] ?? 0) + (bend.track + 1) * trackGap;
    points.push({ x: bend.from, y }, { x: bend.to, y });
  }
  return [...points, { x: target.x + target.width / 2, y: target.y }];
}
