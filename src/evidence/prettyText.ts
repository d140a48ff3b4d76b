// A document as `JSON.stringify(value, null, 2)` would print it, handed over a part at a time: one string of it may be larger than the rest.
export type Write = (text: string) => void;

/** Levels that are gone through by hand: deep enough for the nodes of a recipe to come a few at a time. */
const usualDepth = 4;

/** To print members one by one would take three times as long. */
const mostAtOnce = 64;

/** `deepest`: on which level its many members stand. */
export function writePretty(value: unknown, write: Write, deepest = usualDepth): void {
  print(value, 0, { write, deepest });
  write('\n');
}

type Into = { write: Write; deepest: number };

/** What stands for an object whose members are made when their turn comes, above the deepest level. */
export type Members = Iterable<readonly [string, unknown]>;

function print(value: unknown, depth: number, into: Into): void {
  if (isGoneThrough(value, into.deepest - depth)) new Printer(depth, into).print(value);
  else into.write(textAt(value, depth, 0));
}

/** The value as it is printed so many levels deep: inside of as many lists, which are cut off, and `less` of what is its own at either end. */
function textAt(value: unknown, depth: number, less: number): string {
  let inside = value;
  for (let level = 0; level < depth; level++) inside = [inside];
  const text = JSON.stringify(inside, null, 2);
  // Opening brackets, line breaks and indentations before it; closing ones after it.
  return text.slice(depth * (depth + 3) + less, text.length - depth * (depth + 1) - (less === 0 ? 0 : 2 + 2 * depth));
}

function isGoneThrough(value: unknown, levels: number): value is object {
  return levels > 0 && typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** One object, whose small members are printed together. */
class Printer {
  private before = '{';
  private members: Record<string, unknown> = {};
  private count = 0;

  private readonly write: Write;

  constructor(
    private readonly depth: number,
    private readonly into: Into,
  ) {
    this.write = into.write;
  }

  print(value: object): void {
    if (Symbol.iterator in value) for (const [key, member] of value as Members) this.take(key, member);
    else for (const key of Object.keys(value)) this.take(key, (value as Record<string, unknown>)[key]);
    this.flush();
    this.write(this.before === '{' ? '{}' : `\n${'  '.repeat(this.depth)}}`);
  }

  private take(key: string, member: unknown): void {
    if (member === undefined) return;
    if (isGoneThrough(member, this.into.deepest - this.depth - 1) || !keepsItsPlace(key)) this.alone(key, member);
    else {
      this.members[key] = member;
      if (++this.count >= mostAtOnce) this.flush();
    }
  }

  private alone(key: string, member: unknown): void {
    this.flush();
    this.write(`${this.before}\n${'  '.repeat(this.depth + 1)}${JSON.stringify(key)}: `);
    print(member, this.depth + 1, this.into);
    this.before = ',';
  }

  private flush(): void {
    if (this.count === 0) return;
    this.write(this.before + textAt(this.members, this.depth, 1));
    this.before = ',';
    this.members = {};
    this.count = 0;
  }
}

// Numbers come first in an object, whenever they were added, and `__proto__` would be none of its members.
function keepsItsPlace(key: string): boolean {
  const first = key.charCodeAt(0);
  return !(first >= 48 && first <= 57) && key !== '__proto__';
}
