// A document as `JSON.stringify(value, null, 2)` would print it, handed over a part at a time: one string of it may be larger than the rest.
export type Write = (text: string) => void;

/** Levels that are gone through by hand: deep enough for the nodes of a workflow to come one by one. */
const deepest = 4;

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
  if (depth >= deepest || typeof value !== 'object' || value === null || Array.isArray(value)) {
    const text = JSON.stringify(value, null, 2);
    write(text.includes('\n') ? text.replaceAll('\n', line) : text);
    return;
  }
  const inner = `${line}  `;
  let before = '{';
  for (const [key, member] of membersOf(value)) {
    if (member === undefined) continue;
    write(`${before}${inner}${JSON.stringify(key)}: `);
    print(member, inner, { depth: depth + 1, write });
    before = ',';
  }
  write(before === '{' ? '{}' : `${line}}`);
}
