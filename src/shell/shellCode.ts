// What in a shell text is read as code by a program, followed through pipes, variables, functions and texts for `sh -c`.

import type { ReferenceMatch } from '../engine/references.js';
import { analyzeCommand } from './codeArguments.js';
import { codeVariables } from './programs.js';
import { readShell } from './readShell.js';
import { type Command, hole, type Mark, type ShellScript, type Span, type Word } from './shellWords.js';

export type ShellCode = {
  marks: readonly Mark[];
  /** Marks that are read as code, by their number, with who reads them. */
  codeReaders: ReadonlyMap<number, string>;
  /** Marks whose value may not begin with a dash, with the program that would take it for an option. */
  options: ReadonlyMap<number, string>;
  /** Variables that are read as code; `@` stands for the positional ones. */
  variables: ReadonlyMap<string, string>;
  /** Who reads the standard input of the text as code. */
  stdin?: string;
};

export function findShellCode(text: string, references: readonly ReferenceMatch[]): ShellCode {
  const finder = new CodeFinder(readShell(text, references));
  finder.find();
  return finder;
}

const assignmentPattern = /^([A-Za-z_]\w*)\+?=/;
const declaringCommands = new Set(['export', 'declare', 'typeset', 'local', 'readonly', 'env', 'sudo']);
const readingBuiltins = new Set(['read', 'mapfile', 'readarray']);

class CodeFinder implements ShellCode {
  readonly marks: readonly Mark[];
  readonly codeReaders = new Map<number, string>();
  readonly options = new Map<number, string>();
  readonly variables = new Map<string, string>();
  stdin?: string;
  private readonly assignments = new Map<string, Span[]>();
  private readonly stdinVariables = new Set<string>();
  private readonly pendingSpans: { span: Span; who: string }[] = [];
  private readonly pendingVariables: { variable: string; who: string }[] = [];
  /** For each mark the next one that nobody has looked at, so that spans over the same marks cost nothing. */
  private readonly following: number[];

  constructor(private readonly script: ShellScript) {
    this.marks = script.marks;
    this.following = Array.from({ length: script.marks.length + 1 }, (_, index) => index);
  }

  find(): void {
    const { marks, commands, arithmetic } = this.script;
    for (const [index, { inside, reference }] of marks.entries())
      if (inside !== undefined && reference !== undefined) this.markAsCode([index, index + 1], inside);
    for (const span of arithmetic) this.markAsCode(span, 'arithmetic');
    const around = this.collectGroupInputs();
    for (const [index, command] of commands.entries()) this.analyze(command, around.get(index) ?? []);
    for (const name of this.assignments.keys())
      if (codeVariables.has(name)) this.pendingVariables.push({ variable: name, who: name });
    for (const { span, who } of this.pendingSpans) this.visit(span, who);
    for (let next = this.pendingVariables.pop(); next; next = this.pendingVariables.pop())
      this.followVariable(next.variable, next.who);
  }

  /** What is given to the groups around a command, by its number. */
  private collectGroupInputs(): Map<number, Span[]> {
    const given = new Map<number, Span[]>();
    for (const { from, to, inputs } of this.script.groups) {
      if (inputs.length === 0) continue;
      for (let index = from; index < to; index++) given.set(index, [...(given.get(index) ?? []), ...inputs]);
    }
    return given;
  }

  private analyze({ words, inputs, hasInput, piped }: Command, around: Span[]): void {
    const texts = words.map(({ text }) => text);
    const judged = analyzeCommand(texts);
    for (const [index, who] of judged.options) this.addOption(words[index], who);
    const given = hasInput ? inputs : [...around, ...(piped ? [piped] : [])];
    const ownInput = !hasInput && given.length === 0;
    const readStdin = (who: string): void => {
      for (const span of given) this.markAsCode(span, who);
      if (ownInput) this.stdin ??= who;
    };
    for (const [index, who] of judged.code) {
      this.markAsCode(words[index]?.marks, who);
      if (words[index]?.hasSubstitution) readStdin(who);
    }
    if (judged.stdin !== undefined) readStdin(judged.stdin);
    for (const index of judged.scripts) this.analyzeScript(words, index, readStdin);
    this.assign(words, ownInput ? undefined : given);
  }

  // A fixed text for `sh -c` is read as well: what it does with its parameters, its variables and its input.
  private analyzeScript(words: readonly Word[], index: number, readStdin: (who: string) => void): void {
    const inner = findShellCode(words[index]?.text ?? '', []);
    for (const [variable, who] of inner.variables) {
      if (variable !== '@') this.pendingVariables.push({ variable, who });
      else for (const { marks } of words.slice(index + 1)) this.markAsCode(marks, who);
    }
    if (inner.stdin !== undefined) readStdin(inner.stdin);
  }

  /** `given` is what the command reads; undefined when that is the input of the whole text. */
  private assign(words: readonly Word[], given: readonly Span[] | undefined): void {
    const first = words.findIndex(({ text }) => !assignmentPattern.test(text));
    const name = words[first]?.text ?? '';
    const last = first === -1 || declaringCommands.has(name) ? words.length : first;
    for (const { text, marks, hasSubstitution } of words.slice(0, last)) {
      const [, variable] = assignmentPattern.exec(text) ?? [];
      if (variable === undefined) continue;
      this.addAssignment(variable, [marks]);
      if (hasSubstitution) this.addAssignment(variable, given);
    }
    const rest = words.slice(first + 1);
    const spansFrom = (index: number): Span[] => rest.slice(index).map(({ marks }) => marks);
    if (readingBuiltins.has(name)) for (const { text } of rest) this.addAssignment(text, given);
    if (readingBuiltins.has(name)) this.addAssignment('REPLY', given);
    if (name === 'printf' && rest[0]?.text === '-v') this.addAssignment(rest[1]?.text ?? '', spansFrom(2));
    if (name === 'for' || name === 'select') this.addAssignment(rest[0]?.text ?? '', spansFrom(2));
    if (name === 'set' || this.script.functions.has(name)) this.addAssignment('@', spansFrom(0));
  }

  private addAssignment(variable: string, spans: readonly Span[] | undefined): void {
    if (!spans) {
      this.stdinVariables.add(variable);
      return;
    }
    const known = this.assignments.get(variable);
    if (known) known.push(...spans);
    else this.assignments.set(variable, [...spans]);
  }

  private addOption(word: Word | undefined, who: string): void {
    if (word?.text.startsWith(hole)) this.options.set(word.marks[0], who);
  }

  private markAsCode(span: Span | undefined, who: string): void {
    if (span && span[0] < span[1]) this.pendingSpans.push({ span, who });
  }

  private visit([from, to]: Span, who: string): void {
    const end = Math.min(to, this.marks.length);
    for (let at = this.findUnvisited(from); at < end; at = this.findUnvisited(at + 1)) {
      this.following[at] = at + 1;
      this.codeReaders.set(at, who);
      const variable = this.marks[at]?.variable;
      if (variable !== undefined) this.pendingVariables.push({ variable, who });
    }
  }

  private findUnvisited(index: number): number {
    let at = index;
    while ((this.following[at] ?? at) !== at) {
      const next = this.following[at] ?? at;
      this.following[at] = this.following[next] ?? next;
      at = this.following[at] ?? next;
    }
    return at;
  }

  private followVariable(written: string, who: string): void {
    const variable = /^[\d*@]+$/.test(written) ? '@' : written;
    if (this.variables.has(variable)) return;
    this.variables.set(variable, who);
    if (this.stdinVariables.has(variable)) this.stdin ??= who;
    for (const span of this.assignments.get(variable) ?? []) this.visit(span, who);
  }
}
