// The way of each edge between the boxes: down the column of one of its ends when that is free, else through a gutter between lanes.
import type { BoardEdge } from './board.js';
import type { Place, Placing } from './placeNodes.js';

/** A vertical line: in a column of boxes, or on a track of the gutter to the left of a lane. */
export type Column = { lane: number; slot: number } | { gutter: number; track: number };

/** `over`: undefined when the target stands in the very next row. */
export type Route = { edge: BoardEdge; from: Place; to: Place; over?: Column };

export type Routing = { routes: readonly Route[] /** How many tracks each gutter has. */; tracks: readonly number[] };

type Span = { first: number; last: number; target: string };

export function routeEdges(edges: readonly BoardEdge[], placing: Placing): Routing {
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

  constructor({ places, lanes }: Placing) {
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
    let track = tracks.findIndex((spans) => !spans.some((other) => clashes(other, span)));
    if (track === -1) track = tracks.push([]) - 1;
    tracks[track]?.push(span);
    return { gutter, track };
  }

  private isFree(place: Pick<Place, 'lane' | 'slot'>, span: Span): boolean {
    return !(this.taken.get(keyOf(place)) ?? []).some((other) => clashes(other, span));
  }

  private take(place: Pick<Place, 'lane' | 'slot'>, span: Span): void {
    const spans = this.taken.get(keyOf(place)) ?? [];
    spans.push(span);
    this.taken.set(keyOf(place), spans);
  }
}

function keyOf({ lane, slot }: Pick<Place, 'lane' | 'slot'>): string {
  return `${lane} ${slot}`;
}

// Lines that lead to the same box may run together.
function clashes(one: Span, other: Span): boolean {
  return one.target !== other.target && one.first <= other.last && other.first <= one.last;
}
