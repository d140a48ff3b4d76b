// The spaces between rows: horizontal lines on as many tracks as they need to keep apart.

/** `track` is known once all lines of the gap are. */
export type Bend = { gap: number; track: number; from: number; to: number };

export type Asked = Omit<Bend, 'track'> & { target: string };

type Line = Bend & { target: string };

export const trackGap = 10;
const rowGap = 30;
/** Above the first row and below the last, where nothing leads. */
const edgeGap = 14;
const arrowRoom = 14;

export class Gaps {
  private readonly lines: Line[][];
  private readonly counts: number[] = [];

  constructor(count: number) {
    this.lines = Array.from({ length: count }, () => []);
  }

  bend(asked: Asked): Bend[] {
    if (asked.from === asked.to) return [];
    const line = { ...asked, track: 0 };
    this.lines[asked.gap]?.push(line);
    return [line];
  }

  settle(): void {
    for (const lines of this.lines) this.counts.push(assignTracks(lines));
  }

  heightOf(gap: number): number {
    const count = this.counts[gap] ?? 0;
    if (count > 0) return (count + 1) * trackGap + arrowRoom;
    return gap === 0 || gap === this.lines.length - 1 ? edgeGap : rowGap;
  }
}

// A line that comes down where another one goes on down turns off first, or the two would look like one.
function assignTracks(lines: readonly Line[]): number {
  const placed = new Set<Line>();
  const open = new Set<Line>();
  const place = (line: Line): void => {
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

function overlaps(one: Line, other: Line): boolean {
  if (one.target === other.target) return false;
  return (
    Math.min(one.from, one.to) <= Math.max(other.from, other.to) && Math.min(other.from, other.to) <= Math.max(one.from, one.to)
  );
}
