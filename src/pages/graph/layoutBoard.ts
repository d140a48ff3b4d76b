// Coordinates for the boxes and edges of a board: phases as lanes side by side, time from top to bottom.
import { type Board, type BoardEdge, type BoardNode, type Lane, lanes } from './board.js';

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
  const { laneBoxes, width } = layoutLanes(placing.lanes, tracks);
  const xOf = (column: Column): number => columnX(column, laneBoxes, width);
  const gaps = new Gaps(placing.rows.length + 1);
  const bends = routes.map((route) => edgeBends(route, xOf, gaps));
  gaps.assignAllTracks();
  const rowsWithoutHeadings = layoutRows(placing.rows, heights, { gaps, namesLanes: false });
  const isLong = laneBoxes.length > 1 && rowsWithoutHeadings.height > maxHeightWithoutHeadings;
  const rows = isLong ? layoutRows(placing.rows, heights, { gaps, namesLanes: true }) : rowsWithoutHeadings;
  const boxes = new Map<string, Box>();
  for (const [key, place] of placing.places) {
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

/** A shorter graph is seen at once, or nearly so. */
const maxHeightWithoutHeadings = 1_200;
/** Less than what is seen of a graph in a page. */
const headingInterval = 480;
export const headingHeight = 24;

type RowLayout = { tops: number[]; gapTops: number[]; headings: number[]; height: number };
type RowSpacing = { gaps: Gaps; namesLanes: boolean };

function layoutRows(
  rows: readonly (readonly string[])[],
  heights: ReadonlyMap<string, number>,
  { gaps, namesLanes }: RowSpacing,
): RowLayout {
  const down: RowLayout = { tops: [], gapTops: [], headings: [], height: 0 };
  for (const [index, keys] of rows.entries()) {
    if (namesLanes && down.height - (down.headings.at(-1) ?? 0) > headingInterval) {
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

// Rows and lanes: where each box stands before anything has a coordinate.

/** `slot`: how far from the middle of its lane, in widths of a box. */
type Place = { row: number; lane: number; slot: number };

type Placement = { places: ReadonlyMap<string, Place>; rows: readonly (readonly string[])[]; lanes: readonly UsedLane[] };

type UsedLane = { title: string; columns: number };

/** More boxes than these side by side begin a row of their own. */
const maxColumns = 4;

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

/** The keys of each rank, of all sections one below the other. */
function nodeRanks({ sections, edges }: Board): string[][] {
  return sections.flatMap((keys) => {
    const own = new Set(keys);
    const inner = edges.filter(({ from, to }) => own.has(from) && own.has(to));
    const { ranks } = rankNodes(keys, inner);
    const found: string[][] = [];
    for (const key of keys) {
      const rank = ranks.get(key) ?? 0;
      found[rank] ??= [];
      found[rank]?.push(key);
    }
    return found;
  });
}

function predecessors(edges: readonly BoardEdge[]): Map<string, string[]> {
  const into = new Map<string, string[]>();
  for (const { from, to } of edges) into.set(to, [...(into.get(to) ?? []), from]);
  return into;
}

class Rows {
  readonly places = new Map<string, Place>();
  readonly keysByRow: string[][] = [];
  readonly columns: number[] = [];

  constructor(
    private readonly laneNames: readonly Lane[],
    private readonly into: ReadonlyMap<string, readonly string[]>,
  ) {}

  /** The nodes of one rank: each stands as near as can be to where the ways to it come from. */
  add(rank: readonly BoardNode[]): void {
    const wanted = new Map(rank.map(({ key }) => [key, this.wanted(key)]));
    const sorted = [...rank].sort((a, b) => (wanted.get(a.key) ?? 0) - (wanted.get(b.key) ?? 0));
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

  private wanted(key: string): number {
    const from = (this.into.get(key) ?? []).flatMap((source) => this.places.get(source) ?? []);
    const sum = from.reduce((total, { lane, slot }) => total + lane * maxColumns + slot, 0);
    return from.length === 0 ? 0 : sum / from.length;
  }
}

// How far down each node stands: below everything that leads to it, with the edges that close loops left out.

type NodeRanks = { ranks: Map<string, number>; back: ReadonlySet<BoardEdge> };

/** `keys` in the order in which they are to be looked at; the first is where it begins. */
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

// Without recursion: a chain may be longer than a stack is deep.
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

// The way of each edge between the boxes: down the column of one of its ends when that is free, else through a gutter between lanes.

/** A vertical line: in a column of boxes, or on a track of the gutter to the left of a lane. */
type Column = { lane: number; slot: number } | { gutter: number; track: number };

/** `over`: undefined when the target stands in the very next row. */
type Route = { edge: BoardEdge; from: Place; to: Place; over?: Column };

type Routing = { routes: readonly Route[] /** How many tracks each gutter has. */; tracks: readonly number[] };

type Span = { first: number; last: number; target: string };

function routeEdges(edges: readonly BoardEdge[], placing: Placement): Routing {
  const router = new Router(placing);
  const routes = edges.flatMap((edge) => {
    const [from, to] = [placing.places.get(edge.from), placing.places.get(edge.to)];
    if (!from || !to) return [];
    if (to.row === from.row + 1) return [{ edge, from, to }];
    return [{ edge, from, to, over: router.columnFor(from, to, edge.to) }];
  });
  return { routes, tracks: router.gutters.map((tracks) => tracks.length) };
}

class Router {
  readonly gutters: Span[][][];
  /** The rows that are taken at each lane and slot. */
  private readonly taken = new Map<string, Span[]>();

  constructor({ places, lanes }: Placement) {
    this.gutters = Array.from({ length: lanes.length + 1 }, () => []);
    // Half a slot aside is the middle between two boxes.
    for (const [target, place] of places) this.take(place, { first: place.row, last: place.row, target: `box ${target}` });
  }

  columnFor(from: Place, to: Place, target: string): Column {
    if (to.row > from.row) {
      const span = { first: from.row + 1, last: to.row - 1, target };
      const free = [to, from].find((end) => this.isFree(end, span));
      if (free) {
        this.take(free, span);
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
    return !(this.taken.get(columnKey(place)) ?? []).some((other) => spansClash(other, span));
  }

  private take(place: Pick<Place, 'lane' | 'slot'>, span: Span): void {
    const spans = this.taken.get(columnKey(place)) ?? [];
    spans.push(span);
    this.taken.set(columnKey(place), spans);
  }
}

function columnKey({ lane, slot }: Pick<Place, 'lane' | 'slot'>): string {
  return `${lane} ${slot}`;
}

// Lines that lead to the same box may run together.
function spansClash(one: Span, other: Span): boolean {
  return one.target !== other.target && one.first <= other.last && other.first <= one.last;
}

// The spaces between rows: horizontal lines on as many tracks as they need to keep apart.

/** `track` is known once all lines of the gap are. */
type Bend = { gap: number; track: number; from: number; to: number };

type BendRequest = Omit<Bend, 'track'> & { target: string };

type GapLine = Bend & { target: string };

const trackGap = 10;
const rowGap = 30;
/** Above the first row and below the last, where nothing leads. */
const edgeGap = 14;
const arrowRoom = 14;

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

// A line that comes down where another one goes on down turns off first, or the two would look like one.
function assignTracks(lines: readonly GapLine[]): number {
  const placed = new Set<GapLine>();
  const open = new Set<GapLine>();
  const place = (line: GapLine): void => {
    if (placed.has(line) || open.has(line)) return;
    open.add(line);
    const before = lines.filter((other) => other !== line && other.from === line.to && other.target !== line.target);
    for (const other of before) place(other);
    line.track = Math.max(0, ...before.filter((other) => placed.has(other)).map(({ track }) => track + 1));
    while ([...placed].some((other) => other.track === line.track && overlaps(other, line))) line.track++;
    placed.add(line);
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
