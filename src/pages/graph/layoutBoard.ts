// Computes the coordinates of a board. Phases are lanes side by side, and time runs from top to bottom.
import { type Board, type BoardEdge, type BoardNode, type Lane, lanes } from './board.js';

export type Point = { x: number; y: number };
export type Box = Point & { key: string; width: number; height: number };
export type LaneBox = { title: string; x: number; width: number };

export type Layout = {
  boxes: ReadonlyMap<string, Box>;
  lines: readonly { edge: BoardEdge; points: readonly Point[] }[];
  lanes: readonly LaneBox[];
  /** The y coordinates at which the titles of the lanes are repeated, because the top of a long graph scrolls out of view. */
  headings: readonly number[];
  width: number;
  height: number;
};

export const boxWidth = 232;
const columnGap = 24;
const lanePadding = 16;

/** `heights`: the height of each box, by its key. */
export function layoutBoard(board: Board, heights: ReadonlyMap<string, number>): Layout {
  const placement = placeNodes(board);
  const { routes, tracks } = routeEdges(board.edges, placement);
  const { laneBoxes, width } = layoutLanes(placement.lanes, tracks);
  const xOf = (column: Column): number => columnX(column, laneBoxes, width);
  const gaps = new Gaps(placement.rows.length + 1);
  const bends = routes.map((route) => edgeBends(route, xOf, gaps));
  gaps.assignAllTracks();
  const rowsWithoutHeadings = layoutRows(placement.rows, heights, { gaps, namesLanes: false });
  const isLong = laneBoxes.length > 1 && rowsWithoutHeadings.height > maxHeightWithoutHeadings;
  const rows = isLong ? layoutRows(placement.rows, heights, { gaps, namesLanes: true }) : rowsWithoutHeadings;
  const boxes = new Map<string, Box>();
  for (const [key, place] of placement.places) {
    const height = heights.get(key) ?? 0;
    boxes.set(key, { key, x: xOf(place) - boxWidth / 2, y: rows.tops[place.row] ?? 0, width: boxWidth, height });
  }
  const lines = routes.map(({ edge }, index) => ({ edge, points: edgePoints(edge, { boxes, bends: bends[index] ?? [], rows }) }));
  return { boxes, lines, lanes: laneBoxes, headings: rows.headings, width, height: rows.height };
}

function layoutLanes(lanes: readonly { title: string; columns: number }[], tracks: readonly number[]) {
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

function columnX(column: Column, lanes: readonly LaneBox[], width: number): number {
  if ('gutter' in column) return (lanes[column.gutter]?.x ?? width) - (column.track + 1) * trackGap;
  const { x, width: laneWidth } = lanes[column.lane] ?? { x: 0, width: 0 };
  return x + laneWidth / 2 + column.slot * (boxWidth + columnGap);
}

function edgeBends({ edge, from, to, over }: Route, xOf: (column: Column) => number, gaps: Gaps): Bend[] {
  const [start, end] = [xOf(toColumn(from)), xOf(toColumn(to))];
  if (!over) return gaps.bend({ gap: to.row, from: start, to: end, target: edge.to });
  const middle = xOf(over);
  return [
    ...gaps.bend({ gap: from.row + 1, from: start, to: middle, target: edge.to }),
    ...gaps.bend({ gap: to.row, from: middle, to: end, target: edge.to }),
  ];
}

function toColumn({ lane, slot }: Place): Column {
  return { lane, slot };
}

/** A graph of this height nearly fits on a screen, so it needs no repeated headings. */
const maxHeightWithoutHeadings = 1_200;
/** Less than the visible height of a graph in a page. */
const headingInterval = 480;
export const headingHeight = 24;

type RowLayout = { tops: number[]; gapTops: number[]; headings: number[]; height: number };
type RowSpacing = { gaps: Gaps; namesLanes: boolean };

function layoutRows(
  rows: readonly (readonly string[])[],
  heights: ReadonlyMap<string, number>,
  { gaps, namesLanes }: RowSpacing,
): RowLayout {
  const layout: RowLayout = { tops: [], gapTops: [], headings: [], height: 0 };
  for (const [index, keys] of rows.entries()) {
    if (namesLanes && layout.height - (layout.headings.at(-1) ?? 0) > headingInterval) {
      layout.headings.push(layout.height);
      layout.height += headingHeight;
    }
    layout.gapTops.push(layout.height);
    layout.height += gaps.heightOf(index);
    layout.tops.push(layout.height);
    layout.height += Math.max(...keys.map((key) => heights.get(key) ?? 0));
  }
  layout.gapTops.push(layout.height);
  layout.height += gaps.heightOf(rows.length);
  return layout;
}

type BoardCoordinates = { boxes: ReadonlyMap<string, Box>; bends: readonly Bend[]; rows: RowLayout };

function edgePoints({ from, to }: BoardEdge, { boxes, bends, rows }: BoardCoordinates): Point[] {
  const [source, target] = [boxes.get(from), boxes.get(to)];
  if (!source || !target) return [];
  const points: Point[] = [{ x: source.x + source.width / 2, y: source.y + source.height }];
  for (const bend of bends) {
    const y = (rows.gapTops[bend.gap] ?? 0) + (bend.track + 1) * trackGap;
    points.push({ x: bend.from, y }, { x: bend.to, y });
  }
  return [...points, { x: target.x + target.width / 2, y: target.y }];
}

/** `slot`: the distance from the middle of the lane, in box widths. */
type Place = { row: number; lane: number; slot: number };

type Placement = { places: ReadonlyMap<string, Place>; rows: readonly (readonly string[])[]; lanes: readonly UsedLane[] };

type UsedLane = { title: string; columns: number };

/** The greatest number of boxes of one lane in a row. Further boxes begin a new row. */
const maxColumns = 4;

/** Assigns a row and a lane to each node. Coordinates follow later. */
function placeNodes(board: Board): Placement {
  const all = [...board.nodes.values()];
  const used = lanes.filter(([name]) => all.some((node) => node.lane === name));
  const rows = new Rows(
    used.map(([name]) => name),
    predecessors(board.edges),
  );
  for (const keys of nodeRanks(board)) rows.add(keys.flatMap((key) => board.nodes.get(key) ?? []));
  const { places, columns } = rows;
  return { places, rows: rows.keysByRow, lanes: used.map(([, title], index) => ({ title, columns: columns[index] ?? 1 })) };
}

/** Returns the keys of each rank, section by section. */
function nodeRanks({ sections, edges }: Board): string[][] {
  return sections.flatMap((keys) => {
    const inSection = new Set(keys);
    const { ranks } = rankNodes(
      keys,
      edges.filter(({ from, to }) => inSection.has(from) && inSection.has(to)),
    );
    const keysByRank: string[][] = [];
    for (const key of keys) {
      const rank = ranks.get(key) ?? 0;
      keysByRank[rank] ??= [];
      keysByRank[rank]?.push(key);
    }
    return keysByRank;
  });
}

function predecessors(edges: readonly BoardEdge[]): Map<string, string[]> {
  const sources = new Map<string, string[]>();
  for (const { from, to } of edges) sources.set(to, [...(sources.get(to) ?? []), from]);
  return sources;
}

class Rows {
  readonly places = new Map<string, Place>();
  readonly keysByRow: string[][] = [];
  readonly columns: number[] = [];

  constructor(
    private readonly laneNames: readonly Lane[],
    private readonly sources: ReadonlyMap<string, readonly string[]>,
  ) {}

  /** Adds the nodes of one rank. Each node is placed as near as possible to the nodes that lead to it. */
  add(rank: readonly BoardNode[]): void {
    const slots = new Map(rank.map(({ key }) => [key, this.preferredSlot(key)]));
    const sorted = [...rank].sort((a, b) => (slots.get(a.key) ?? 0) - (slots.get(b.key) ?? 0));
    const perLane = this.laneNames.map((name) => sorted.filter(({ lane }) => lane === name));
    const longest = Math.max(...perLane.map((members) => members.length));
    for (let start = 0; start < longest; start += maxColumns) {
      this.addRow(perLane.map((members) => members.slice(start, start + maxColumns)));
    }
  }

  private addRow(perLane: readonly (readonly BoardNode[])[]): void {
    for (const [lane, members] of perLane.entries()) {
      this.columns[lane] = Math.max(this.columns[lane] ?? 1, members.length);
      for (const [index, { key }] of members.entries())
        this.places.set(key, { row: this.keysByRow.length, lane, slot: index - (members.length - 1) / 2 });
    }
    this.keysByRow.push(perLane.flat().map(({ key }) => key));
  }

  private preferredSlot(key: string): number {
    const places = (this.sources.get(key) ?? []).flatMap((source) => this.places.get(source) ?? []);
    const sum = places.reduce((total, { lane, slot }) => total + lane * maxColumns + slot, 0);
    return places.length === 0 ? 0 : sum / places.length;
  }
}

/** `back`: the edges that close loops. */
type NodeRanks = { ranks: Map<string, number>; back: ReadonlySet<BoardEdge> };

/**
 * Gives each node a greater rank than every node that leads to it. Edges that close a loop do not count. The search follows the
 * order of `keys`, so the first key is the start.
 */
function rankNodes(keys: readonly string[], edges: readonly BoardEdge[]): NodeRanks {
  const out = new Map<string, BoardEdge[]>(keys.map((key) => [key, []]));
  for (const edge of edges) out.get(edge.from)?.push(edge);
  const { back, order } = depthFirst(keys, out);
  const ranks = new Map(keys.map((key) => [key, 0]));
  for (const key of order) {
    for (const edge of out.get(key) ?? []) {
      if (!back.has(edge)) ranks.set(edge.to, Math.max(ranks.get(edge.to) ?? 0, (ranks.get(key) ?? 0) + 1));
    }
  }
  return { ranks, back };
}

// Not recursive, because a long chain of nodes would overflow the stack.
function depthFirst(keys: readonly string[], out: ReadonlyMap<string, readonly BoardEdge[]>) {
  const back = new Set<BoardEdge>();
  const state = new Map<string, 'open' | 'done'>();
  const finished: string[] = [];
  for (const start of keys) {
    const stack = state.has(start) ? [] : [{ key: start, at: 0 }];
    while (stack.length > 0) {
      const top = stack.at(-1) as { key: string; at: number };
      state.set(top.key, 'open');
      const edge = out.get(top.key)?.[top.at++];
      if (!edge) {
        state.set(top.key, 'done');
        finished.push(top.key);
        stack.pop();
      } else if (state.get(edge.to) === 'open') back.add(edge);
      else if (!state.has(edge.to)) stack.push({ key: edge.to, at: 0 });
    }
  }
  return { back, order: finished.reverse() };
}

/** The place of a vertical line: in a column of boxes, or on a track of the gutter to the left of a lane. */
type Column = { lane: number; slot: number } | { gutter: number; track: number };

/** `over`: the column of the vertical line between both ends. Undefined when the target is in the next row. */
type Route = { edge: BoardEdge; from: Place; to: Place; over?: Column };

/** `tracks`: the number of tracks of each gutter. */
type Routing = { routes: readonly Route[]; tracks: readonly number[] };

/** The rows from `first` to `last`, through which a line to `target` runs. */
type Span = { first: number; last: number; target: string };

/** Routes each edge down the column of one of its ends if that column is free, otherwise through a gutter between lanes. */
function routeEdges(edges: readonly BoardEdge[], placement: Placement): Routing {
  const router = new Router(placement);
  const routes = edges.flatMap((edge) => {
    const [from, to] = [placement.places.get(edge.from), placement.places.get(edge.to)];
    if (!from || !to) return [];
    if (to.row === from.row + 1) return [{ edge, from, to }];
    return [{ edge, from, to, over: router.columnFor(from, to, edge.to) }];
  });
  return { routes, tracks: router.gutters.map((tracks) => tracks.length) };
}

class Router {
  readonly gutters: Span[][][];
  private readonly spansByColumn = new Map<string, Span[]>();

  constructor({ places, lanes }: Placement) {
    this.gutters = Array.from({ length: lanes.length + 1 }, () => []);
    for (const [target, place] of places) this.occupy(place, { first: place.row, last: place.row, target: `box ${target}` });
  }

  columnFor(from: Place, to: Place, target: string): Column {
    if (to.row > from.row) {
      const span = { first: from.row + 1, last: to.row - 1, target };
      const free = [to, from].find((end) => this.isFree(end, span));
      if (free) {
        this.occupy(free, span);
        return { lane: free.lane, slot: free.slot };
      }
    }
    return this.gutterFor(from, to, target);
  }

  private gutterFor(from: Place, to: Place, target: string): Column {
    const goesBack = to.row <= from.row;
    const gutter = goesBack || to.lane < from.lane ? to.lane : from.lane + 1;
    const span = { first: Math.min(from.row + 1, to.row), last: Math.max(from.row + 1, to.row), target };
    const tracks = this.gutters[gutter] ?? [];
    let track = tracks.findIndex((spans) => !spans.some((other) => spansClash(other, span)));
    if (track === -1) track = tracks.push([]) - 1;
    tracks[track]?.push(span);
    return { gutter, track };
  }

  private isFree(place: Pick<Place, 'lane' | 'slot'>, span: Span): boolean {
    return !(this.spansByColumn.get(columnKey(place)) ?? []).some((other) => spansClash(other, span));
  }

  private occupy(place: Pick<Place, 'lane' | 'slot'>, span: Span): void {
    const spans = this.spansByColumn.get(columnKey(place)) ?? [];
    spans.push(span);
    this.spansByColumn.set(columnKey(place), spans);
  }
}

function columnKey({ lane, slot }: Pick<Place, 'lane' | 'slot'>): string {
  return `${lane} ${slot}`;
}

// Lines that lead to the same box may share a track.
function spansClash(one: Span, other: Span): boolean {
  return one.target !== other.target && one.first <= other.last && other.first <= one.last;
}

/** A horizontal line between two rows. Its `track` is assigned when all lines of the gap are known. */
type Bend = { gap: number; track: number; from: number; to: number };

type BendRequest = Omit<Bend, 'track'> & { target: string };

type GapLine = Bend & { target: string };

const trackGap = 10;
const rowGap = 30;
/** The space above the first row and below the last one, which no edge crosses. */
const edgeGap = 14;
const arrowRoom = 14;

/** The spaces between rows. Each has enough tracks to keep its horizontal lines apart. */
class Gaps {
  private readonly lines: GapLine[][];
  private readonly counts: number[] = [];

  constructor(count: number) {
    this.lines = Array.from({ length: count }, () => []);
  }

  bend(request: BendRequest): Bend[] {
    if (request.from === request.to) return [];
    const line = { ...request, track: 0 };
    this.lines[request.gap]?.push(line);
    return [line];
  }

  assignAllTracks(): void {
    for (const lines of this.lines) this.counts.push(assignTracks(lines));
  }

  heightOf(gap: number): number {
    const count = this.counts[gap] ?? 0;
    if (count > 0) return (count + 1) * trackGap + arrowRoom;
    return gap === 0 || gap === this.lines.length - 1 ? edgeGap : rowGap;
  }
}

// When one line comes down to a gap and another line leaves the gap at the same x, the first one must turn on an upper track. Otherwise
// both would look like one line.
function assignTracks(lines: readonly GapLine[]): number {
  const placedLines = new Set<GapLine>();
  const open = new Set<GapLine>();
  const place = (line: GapLine): void => {
    if (placedLines.has(line) || open.has(line)) return;
    open.add(line);
    const before = lines.filter((other) => other !== line && other.from === line.to && other.target !== line.target);
    for (const other of before) place(other);
    line.track = Math.max(0, ...before.filter((other) => placedLines.has(other)).map(({ track }) => track + 1));
    while ([...placedLines].some((other) => other.track === line.track && overlaps(other, line))) line.track++;
    placedLines.add(line);
  };
  for (const line of lines) place(line);
  return lines.reduce((most, { track }) => Math.max(most, track + 1), 0);
}

function overlaps(one: GapLine, other: GapLine): boolean {
  if (one.target === other.target) return false;
  return (
    Math.min(one.from, one.to) <= Math.max(other.from, other.to) && Math.min(other.from, other.to) <= Math.max(one.from, one.to)
  );
}
