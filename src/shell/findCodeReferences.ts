// Finds the references in the shell text, argv, stdin and env of a process that a program would read as code. The rules refuse them
// before a run, and the run refuses them again.

import { type ReferenceLookup, referencesAt, referencesIn, resolveReference, toReferenceText } from '../engine/references.js';
import { analyzeCommand } from './analyzeCommand.js';
import { rejectOptionValue } from './bindShell.js';
import { findShellCode } from './findShellCode.js';
import { codeVariables } from './programs.js';
import { valuePlaceholder } from './shellLexer.js';

export type ProcessFields = Readonly<Record<string, unknown>>;

export type RefusedReference = { at: (string | number)[]; name: string; reader: string };

/** `shellFields`: the fields that a shell reads. `bound`: the fields that get a value of the run through `rw.in`. */
export type ProcessFacts = { shellFields: readonly string[]; bound: Iterable<string> };

export function findCodeReferences(fields: ProcessFields, { shellFields, bound }: ProcessFacts): RefusedReference[] {
  const boundNames = [...bound];
  if (boundNames.length === 0 && referencesIn(fields).length === 0) return [];
  const refused: RefusedReference[] = [];
  const readers = [
    ...shellFields.map((field) => findTextReaders(field, fields[field], refused)),
    findArgvReaders(fields.argv, refused),
  ];
  const stdin = readers.find((reader) => reader.stdin !== undefined)?.stdin;
  if (stdin !== undefined) addReferences(refused, ['stdin'], { value: fields.stdin, reader: stdin });
  for (const [key, value] of entriesOf(fields.env)) {
    const textReader = readers.map(({ variables }) => variables.get(key)).find((found) => found !== undefined);
    const reader = textReader ?? (codeVariables.has(key) ? key : undefined);
    if (reader !== undefined) addReferences(refused, ['env', key], { value, reader });
  }
  const readersOf = new Map(shellFields.map((field) => [field, 'the shell'])).set('argv', 'the program that is run');
  if (stdin !== undefined) readersOf.set('stdin', stdin);
  for (const name of boundNames) {
    const reader = readersOf.get(name);
    if (reader !== undefined) refused.push({ at: ['rw', 'in', name], name, reader });
  }
  return refused;
}

/** Throws when a word begins with a reference whose value the program would treat as an option. */
export function rejectOptionValues(argv: unknown, lookup: ReferenceLookup): void {
  const words = toWords(argv);
  for (const [index, program] of analyzeCommand(words.map(replaceReferences)).options) {
    const word = words[index] ?? '';
    const [first] = referencesAt(word);
    if (first?.start === 0) rejectOptionValue(first.name, toReferenceText(resolveReference(first.name, lookup)), program);
  }
}

type CodeReaders = { variables: ReadonlyMap<string, string>; stdin?: string };

function findTextReaders(field: string, text: unknown, refused: RefusedReference[]): CodeReaders {
  if (typeof text !== 'string') return { variables: new Map() };
  const code = findShellCode(text, referencesAt(text));
  for (const [index, reader] of code.codeReaders) {
    const name = code.slots[index]?.reference;
    if (name !== undefined) refused.push({ at: [field], name, reader });
  }
  return code;
}

function findArgvReaders(argv: unknown, refused: RefusedReference[]): CodeReaders {
  const words = toWords(argv);
  const analysis = analyzeCommand(words.map(replaceReferences));
  const variables = new Map<string, string>();
  let { stdin } = analysis;
  for (const [index, reader] of analysis.code) addReferences(refused, ['argv', index], { value: words[index], reader });
  for (const index of analysis.scripts) {
    const inner = findShellCode(words[index] ?? '', []);
    stdin ??= inner.stdin;
    for (const [name, reader] of inner.variables) variables.set(name, reader);
    const reader = inner.variables.get('@');
    if (reader === undefined) continue;
    for (let at = index + 1; at < words.length; at++) addReferences(refused, ['argv', at], { value: words[at], reader });
  }
  return stdin === undefined ? { variables } : { variables, stdin };
}

function addReferences(
  refused: RefusedReference[],
  at: (string | number)[],
  { value, reader }: { value: unknown; reader: string },
): void {
  if (typeof value !== 'string') return;
  for (const { name } of referencesAt(value)) refused.push({ at, name, reader });
}

function toWords(argv: unknown): string[] {
  return Array.isArray(argv) ? argv.map((word) => (typeof word === 'string' ? word : '')) : [];
}

function replaceReferences(word: string): string {
  let text = '';
  let done = 0;
  for (const { start, end } of referencesAt(word)) {
    text += word.slice(done, start) + valuePlaceholder;
    done = end;
  }
  return text + word.slice(done);
}

function entriesOf(value: unknown): [string, unknown][] {
  return typeof value === 'object' && value !== null ? Object.entries(value) : [];
}
