// Finds the values in shell text that a program reads as code. Follows them through pipes, variables, functions and the text of `sh -c`.

import type { ReferenceMatch } from '../engine/references.js';
import { analyzeCommand } from './analyzeCommand.js';
import { parseShell } from './parseShell.js';
import { codeVariables } from './programs.js';
import { type Command, type ShellScript, type Span, type ValueSlot, valuePlaceholder, type Word } from './shellLexer.js';

export type ShellCode = {
  slots: readonly ValueSlot[];
  /** Slots that are read as code, by their index, with the program that reads them. */
  codeReaders: ReadonlyMap<number, string>;
  /** Slots whose value must not begin with a dash, by their index, with the program that would treat the value as an option. */
  options: ReadonlyMap<number, string>;
  /** Variables that are read as code. `@` means the positional parameters. */
  variables: ReadonlyMap<string, string>;
  /** The program that reads the standard input of the whole text as code. */
  stdin?: string;
};

export function findShellCode(text: string, references: readonly ReferenceMatch[]): ShellCode {
  const finder = new CodeFinder(parseShell(text, references));
  finder.find();
  return finder;
}

const assignmentPattern = /^([A-Za-z_]\w*)\+?=/;
const declaringCommands = new Set(['export', 'declare', 'typeset', 'local', 'readonly', 'env', 'sudo']);
const readingBuiltins = new Set(['read', 'mapfile', 'readarray']);

class CodeFinder implements ShellCode {
  readonly slots: readonly ValueSlot[];
  readonly codeReaders = new Map<number, string>();
  readonly options = new Map<number, string>();
  readonly variables = new Map<string, string>();
  stdin?: string;
  private readonly assignments = new Map<string, Span[]>();
  private readonly stdinVariables = new Set<string>();
  private readonly pendingSpans: { span: Span; reader: string }[] = [];
  private readonly pendingVariables: { variable: string; reader: string }[] = [];
  /** For each slot, an index at or before the next unvisited slot. Visiting the same slots again then takes no time. */
  private readonly nextUnvisited: number[];

  constructor(private readonly script: ShellScript) {
    this.slots = script.slots;
    this.nextUnvisited = Array.from({ length: script.slots.length + 1 }, (_, index) => index);
  }

  find(): void {
    const { slots, commands, arithmetic } = this.script;
    for (const [index, { syntax, reference }] of slots.entries())
      if (syntax !== undefined && reference !== undefined) this.markAsCode([index, index + 1], syntax);
    for (const span of arithmetic) this.markAsCode(span, 'arithmetic');
    const groupInputs = this.collectGroupInputs();
    for (const [index, command] of commands.entries()) this.analyze(command, groupInputs.get(index) ?? []);
    for (const name of this.assignments.keys())
      if (codeVariables.has(name)) this.pendingVariables.push({ variable: name, reader: name });
    for (const { span, reader } of this.pendingSpans) this.visit(span, reader);
    for (let next = this.pendingVariables.pop(); next; next = this.pendingVariables.pop())
      this.followVariable(next.variable, next.reader);
  }

  /** Returns the input of the groups around each command, by the index of the command. */
  private collectGroupInputs(): Map<number, Span[]> {
    const inputsByCommand = new Map<number, Span[]>();
    for (const { from, to, inputs } of this.script.groups) {
      if (inputs.length === 0) continue;
      for (let index = from; index < to; index++) inputsByCommand.set(index, [...(inputsByCommand.get(index) ?? []), ...inputs]);
    }
    return inputsByCommand;
  }

  private analyze({ words, inputs, hasInput, piped }: Command, groupInputs: Span[]): void {
    const texts = words.map(({ text }) => text);
    const analysis = analyzeCommand(texts);
    for (const [index, reader] of analysis.options) this.addOption(words[index], reader);
    const input = hasInput ? inputs : [...groupInputs, ...(piped ? [piped] : [])];
    const readsStdin = !hasInput && input.length === 0;
    const readStdin = (reader: string): void => {
      for (const span of input) this.markAsCode(span, reader);
      if (readsStdin) this.stdin ??= reader;
    };
    for (const [index, reader] of analysis.code) {
      this.markAsCode(words[index]?.slots, reader);
      if (words[index]?.hasSubstitution) readStdin(reader);
    }
    if (analysis.stdin !== undefined) readStdin(analysis.stdin);
    for (const index of analysis.scripts) this.analyzeScript(words, index, readStdin);
    this.addAssignments(words, readsStdin ? undefined : input);
  }

  // Analyzes the text of `sh -c`: how it uses its parameters, its variables and its input.
  private analyzeScript(words: readonly Word[], index: number, readStdin: (reader: string) => void): void {
    const inner = findShellCode(words[index]?.text ?? '', []);
    for (const [variable, reader] of inner.variables) {
      if (variable !== '@') this.pendingVariables.push({ variable, reader });
      else for (const { slots } of words.slice(index + 1)) this.markAsCode(slots, reader);
    }
    if (inner.stdin !== undefined) readStdin(inner.stdin);
  }

  /** Records the variables that a command sets. `input`: what the command reads, or undefined for the input of the whole text. */
  private addAssignments(words: readonly Word[], input: readonly Span[] | undefined): void {
    const first = words.findIndex(({ text }) => !assignmentPattern.test(text));
    const name = words[first]?.text ?? '';
    const last = first === -1 || declaringCommands.has(name) ? words.length : first;
    for (const { text, slots, hasSubstitution } of words.slice(0, last)) {
      const [, variable] = assignmentPattern.exec(text) ?? [];
      if (variable === undefined) continue;
      this.addAssignment(variable, [slots]);
      if (hasSubstitution) this.addAssignment(variable, input);
    }
    const rest = words.slice(first + 1);
    const spansFrom = (index: number): Span[] => rest.slice(index).map(({ slots }) => slots);
    if (readingBuiltins.has(name)) for (const { text } of rest) this.addAssignment(text, input);
    if (readingBuiltins.has(name)) this.addAssignment('REPLY', input);
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

  private addOption(word: Word | undefined, reader: string): void {
    if (word?.text.startsWith(valuePlaceholder)) this.options.set(word.slots[0], reader);
  }

  private markAsCode(span: Span | undefined, reader: string): void {
    if (span && span[0] < span[1]) this.pendingSpans.push({ span, reader });
  }

  private visit([from, to]: Span, reader: string): void {
    const end = Math.min(to, this.slots.length);
    for (let at = this.findUnvisited(from); at < end; at = this.findUnvisited(at + 1)) {
      this.nextUnvisited[at] = at + 1;
      this.codeReaders.set(at, reader);
      const variable = this.slots[at]?.variable;
      if (variable !== undefined) this.pendingVariables.push({ variable, reader });
    }
  }

  private findUnvisited(index: number): number {
    let at = index;
    while ((this.nextUnvisited[at] ?? at) !== at) {
      const next = this.nextUnvisited[at] ?? at;
      this.nextUnvisited[at] = this.nextUnvisited[next] ?? next;
      at = this.nextUnvisited[at] ?? next;
    }
    return at;
  }

  private followVariable(name: string, reader: string): void {
    const variable = /^[\d*@]+$/.test(name) ? '@' : name;
    if (this.variables.has(variable)) return;
    this.variables.set(variable, reader);
    if (this.stdinVariables.has(variable)) this.stdin ??= reader;
    for (const span of this.assignments.get(variable) ?? []) this.visit(span, reader);
  }
}
