// Prints JSON as `JSON.stringify(value, null, 2)` does, but in parts, because a whole document may be too large for one string.

import type { AtomicFile, FileDigest } from '../system/files/atomicFile.js';

export type Write = (text: string) => void;

/** The number of levels whose members are printed separately. Four levels reach the single nodes of a recipe. */
const defaultDepth = 4;

/** Members are printed in groups of this size, because printing each one separately takes three times as long. */
const maxBatchedMembers = 64;

/** `maxDepth`: the number of levels whose members are printed separately. */
export function writeJson(value: unknown, write: Write, maxDepth = defaultDepth): void {
  printValue(value, 0, { write, maxDepth });
  write('\n');
}

type PrintTarget = { write: Write; maxDepth: number };

/** An object whose members are created only when they are printed. Works only within the first `maxDepth` levels. */
export type LazyMembers = Iterable<readonly [string, unknown]>;

function printValue(value: unknown, depth: number, target: PrintTarget): void {
  if (isPrintedByMember(value, target.maxDepth - depth)) new ObjectPrinter(depth, target).print(value);
  else target.write(printAtDepth(value, depth, 0));
}

/** Prints a value with the indentation of `depth`, and removes `trim` characters at both ends. Wrapping it in lists gives the indentation. */
function printAtDepth(value: unknown, depth: number, trim: number): string {
  let inside = value;
  for (let level = 0; level < depth; level++) inside = [inside];
  const text = JSON.stringify(inside, null, 2);
  // Removes the brackets, line breaks and indentation of the lists around the value.
  return text.slice(depth * (depth + 3) + trim, text.length - depth * (depth + 1) - (trim === 0 ? 0 : 2 + 2 * depth));
}

function isPrintedByMember(value: unknown, levels: number): value is object {
  return levels > 0 && typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Prints an object. Consecutive members that need no separate printing are printed together. */
class ObjectPrinter {
  private separator = '{';
  private members: Record<string, unknown> = {};
  private count = 0;

  private readonly write: Write;

  constructor(
    private readonly depth: number,
    private readonly target: PrintTarget,
  ) {
    this.write = target.write;
  }

  print(value: object): void {
    if (Symbol.iterator in value) for (const [key, member] of value as LazyMembers) this.addMember(key, member);
    else for (const key of Object.keys(value)) this.addMember(key, (value as Record<string, unknown>)[key]);
    this.flush();
    this.write(this.separator === '{' ? '{}' : `\n${'  '.repeat(this.depth)}}`);
  }

  private addMember(key: string, member: unknown): void {
    if (member === undefined) return;
    if (isPrintedByMember(member, this.target.maxDepth - this.depth - 1) || !keepsOrder(key)) this.writeMember(key, member);
    else {
      this.members[key] = member;
      if (++this.count >= maxBatchedMembers) this.flush();
    }
  }

  private writeMember(key: string, member: unknown): void {
    this.flush();
    this.write(`${this.separator}\n${'  '.repeat(this.depth + 1)}${JSON.stringify(key)}: `);
    printValue(member, this.depth + 1, this.target);
    this.separator = ',';
  }

  private flush(): void {
    if (this.count === 0) return;
    this.write(this.separator + printAtDepth(this.members, this.depth, 1));
    this.separator = ',';
    this.members = {};
    this.count = 0;
  }
}

// A JavaScript object puts numeric keys first, whenever they were added, and cannot have `__proto__` as an ordinary key.
function keepsOrder(key: string): boolean {
  const first = key.charCodeAt(0);
  return !(first >= 48 && first <= 57) && key !== '__proto__';
}

const placeholder = '"@"';

/** Printing small values together is faster. A large value is written immediately, so that it does not stay in memory. */
const maxBatchedValues = 32;
const maxBatchedText = 1_000;

/** Writes a list as JSON.stringify(list, null, 2) does, but in parts. `wrap` puts the list into a document, at most one level deep. */
export class JsonListWriter {
  private values: unknown[] = [];
  private hasBegun = false;
  private readonly head: string;
  private readonly tail: string;
  private readonly depth: number;

  constructor(
    private readonly file: AtomicFile,
    private readonly wrap: (list: readonly unknown[]) => unknown = (list) => list,
  ) {
    const frame = JSON.stringify(wrap(['@']), null, 2);
    const at = frame.lastIndexOf(placeholder);
    this.head = frame.slice(0, at);
    this.tail = `${frame.slice(at + placeholder.length)}\n`;
    this.depth = this.head.startsWith('[') ? 1 : 2;
  }

  write(value: unknown): void {
    this.values.push(value);
    if (this.values.length >= maxBatchedValues || !isSmall(value)) this.flush();
  }

  private flush(): void {
    if (this.values.length === 0) return;
    this.file.write(this.hasBegun ? `,\n${'  '.repeat(this.depth)}` : this.head);
    this.file.write(this.depth === 1 ? JSON.stringify(this.values, null, 2).slice(4, -2) : indentedList(this.values));
    this.hasBegun = true;
    this.values = [];
  }

  close(): FileDigest {
    this.flush();
    this.file.write(this.hasBegun ? this.tail : `${JSON.stringify(this.wrap([]), null, 2)}\n`);
    return this.file.close();
  }
}

/** Returns whether the value contains neither objects nor long strings. */
function isSmall(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  for (const key in value) {
    const member = (value as Record<string, unknown>)[key];
    if (typeof member === 'object' ? member !== null : typeof member === 'string' && member.length > maxBatchedText) return false;
  }
  return true;
}

// Removes two brackets, with their line breaks and indentation, from both ends.
function indentedList(values: readonly unknown[]): string {
  return JSON.stringify([values], null, 2).slice(10, -6);
}
