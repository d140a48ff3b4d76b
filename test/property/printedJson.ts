// Prints JSON in unusual ways, and records the place of each key and value. Tests compare these places with those of the reader.
import { joinPointer } from '../../src/document/jsonPointer.js';

export type Tree = { members: [name: string, value: Tree][] } | { items: Tree[] } | { leaf: string };

export type Spot = { pointer: string; key: number; value: number; end: number };

export type Printed = { text: string; spots: Spot[] };

/** `gaps`: the white space between tokens, used in turn. `spelling`: whether the next string is written with escapes, used in turn. */
export type Ways = { gaps: readonly string[]; spelling: readonly boolean[] };

export function treeOf(value: unknown): Tree {
  if (Array.isArray(value)) return { items: value.map(treeOf) };
  if (typeof value !== 'object' || value === null) return { leaf: JSON.stringify(value) };
  return { members: Object.entries(value).map(([name, member]) => [name, treeOf(member)]) };
}

export function printJson(tree: Tree, ways: Ways): Printed {
  const printer = new Printer(ways);
  printer.gap();
  printer.print(tree, '');
  printer.gap();
  return { text: printer.text, spots: printer.spots };
}

/** Computes the line and the column of an offset in the simplest way. */
export function lineAndColumn(text: string, offset: number): { line: number; column: number } {
  const lines = text.slice(0, offset).split('\n');
  return { line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1 };
}

class Printer {
  text = '';
  readonly spots: Spot[] = [];
  private turn = 0;

  constructor(private readonly ways: Ways) {}

  gap(): void {
    const { gaps } = this.ways;
    this.text += gaps.length > 0 ? gaps[this.turn++ % gaps.length] : '';
  }

  print(tree: Tree, pointer: string, key?: number): void {
    const value = this.text.length;
    const spot: Spot = { pointer, key: key ?? value, value, end: value };
    this.spots.push(spot);
    if ('leaf' in tree) this.text += tree.leaf.startsWith('"') ? this.spell(JSON.parse(tree.leaf)) : tree.leaf;
    else if ('items' in tree) this.wrap('[]', tree.items.length, (index) => this.printItem(tree.items, index, pointer));
    else this.wrap('{}', tree.members.length, (index) => this.printMember(tree.members, index, pointer));
    spot.end = this.text.length;
  }

  private wrap(brackets: string, count: number, print: (index: number) => void): void {
    this.text += brackets[0];
    this.gap();
    for (let index = 0; index < count; index++) {
      if (index > 0) this.text += ',';
      this.gap();
      print(index);
      this.gap();
    }
    this.text += brackets[1];
  }

  private printItem(items: Tree[], index: number, pointer: string): void {
    this.print(items[index] as Tree, joinPointer(pointer, index));
  }

  private printMember(members: [string, Tree][], index: number, pointer: string): void {
    const [name, value] = members[index] as [string, Tree];
    const key = this.text.length;
    this.text += this.spell(name);
    this.gap();
    this.text += ':';
    this.gap();
    this.print(value, joinPointer(pointer, name), key);
  }

  private spell(text: string): string {
    const { spelling } = this.ways;
    if (spelling.length === 0 || !spelling[this.turn++ % spelling.length]) return JSON.stringify(text);
    const units = Array.from({ length: text.length }, (_, at) => text.charCodeAt(at).toString(16).padStart(4, '0'));
    return `"${units.map((unit) => `\\u${unit}`).join('')}"`;
  }
}
