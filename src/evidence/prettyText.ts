// A document as `JSON.stringify(value, null, 2)` would print it, handed over a part at a time: one string of it may be larger than the rest.
export type Write = (text: string) => void;

/** Levels that are gone through by hand: deep enough for the nodes of a workflow to come a few at a time. */
const deepest = 4;

/** To print members one by one would take three times as long. */
const mostAtOnce = 64;

export function writePretty(value: unknown, write: Write): void {
  print(value, '\n', { depth: 0, write });
  write('\n');
}

type At = { depth: number; write: Write };

/** What stands for an object whose members are made when their turn comes, above the deepest level. */
export type Members = Iterable<readonly [string, unknown]>;

function* membersOf(value: object): Generator<readonly [string, unknown]> {
  if (Symbol.iterator in value) yield* value as Members;
  else for (const key of Object.keys(value)) yield [key, (value as Record<string, unknown>)[key]];
}

/** `line`: a line break and the indentation of where it stands. */
function print(value: unknown, line: string, { depth, write }: At): void {
  if (!isGoneThrough(value, depth)) {
    const text = JSON.stringify(value, null, 2);
    write(text.includes('\n') ? text.replaceAll('\n', line) : text);
    return;
  }
  const inner = `${line}  `;
  let before = '{';
  let leaves = new Leaves();
  const flush = (): void => {
    const text = leaves.print();
    if (text === '') return;
    write(before + text.replaceAll('\n', line));
    before = ',';
    leaves = new Leaves();
  };
  for (const [key, member] of membersOf(value)) {
    if (member === undefined) continue;
    const goesAlong = !isGoneThrough(member, depth + 1);
    if (goesAlong && leaves.take(key, member)) continue;
    flush();
    if (goesAlong && leaves.take(key, member)) continue;
    write(`${before}${inner}${JSON.stringify(key)}: `);
    print(member, inner, { depth: depth + 1, write });
    before = ',';
  }
  flush();
  write(before === '{' ? '{}' : `${line}}`);
}

function isGoneThrough(value: unknown, depth: number): value is object {
  return depth < deepest && typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Members that are printed together. */
class Leaves {
  private readonly members: Record<string, unknown> = {};
  private count = 0;

  /** Not those that would change their place in an object, or be none of its members. */
  take(key: string, value: unknown): boolean {
    if (this.count >= mostAtOnce || key === '__proto__' || /^\d/.test(key)) return false;
    this.members[key] = value;
    this.count++;
    return true;
  }

  /** As the inside of an object. */
  print(): string {
    return this.count === 0 ? '' : JSON.stringify(this.members, null, 2).slice(1, -2);
  }
}
