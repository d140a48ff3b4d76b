// Which words of a command its program reads as code: decided by the program, not by how the text looks.

import { addOptions, type Case, type Judgement, refuse } from './judgement.js';
import { judgeReader } from './judgeReader.js';
import { optionsMatter, readers } from './programs.js';
import { hole } from './shellMarks.js';
import { type Wrapper, wrappers } from './wrappers.js';

const deepest = 20;

/** `words` have a hole wherever something is known only at run time. */
export function judgeWords(words: readonly string[], depth = 0): Judgement {
  const judgement: Judgement = { code: new Map(), options: new Map(), scripts: [] };
  if (depth > deepest) refuse(judgement, [0, words.length], 'a program inside of too many others');
  else judgeProgram({ words, judgement, depth });
  return judgement;
}

const assignment = /^[A-Za-z_]\w*\+?=/;
/** Builtins whose operands are names; bash computes the subscript of a name. */
const naming = new Set(['export', 'declare', 'typeset', 'local', 'readonly', 'read', 'unset', 'mapfile', 'readarray', 'getopts']);
const testing = new Set(['[[', '[', 'test']);

function judgeProgram(found: Case): void {
  const { words, judgement } = found;
  const at = programAt(found, 0);
  const word = words[at];
  if (word === undefined) return;
  const name = programName(word);
  if (word.includes(hole)) refuse(judgement, [at, name.includes(hole) ? words.length : at + 1], 'the program that is run');
  if (optionsMatter.has(name)) addOptions(found, at, name);
  const reader = readers.get(name) ?? readers.get(name.replace(/[\d.]+$/, ''));
  if (reader) judgeReader(found, at, reader);
  else if (name === 'xargs') judgeArguments(found, at);
  else if (name === 'find' || name === 'fd') judgeFind(found, at);
  else if (naming.has(name)) judgeNames(found, at);
  else if (testing.has(name)) judgeTest(found, at);
  else if (name === 'printf' && words[at + 1] === '-v') refuse(judgement, [at, at + 3], 'printf -v');
}

/** Past assignments and programs that only start the next one. */
function programAt(found: Case, start: number): number {
  let at = start;
  for (;;) {
    while (assignment.test(found.words[at] ?? '')) at++;
    const name = programName(found.words[at] ?? '');
    const wrapper = name === 'xargs' ? undefined : wrappers.get(name);
    if (!wrapper) return at;
    at = wrappedAt(found, at, wrapper);
  }
}

function programName(word: string): string {
  return word.slice(word.lastIndexOf('/') + 1).replace(/\.exe$/i, '');
}

function wrappedAt({ words, judgement }: Case, at: number, wrapper: Wrapper): number {
  const { operands: before = 0, subcommands, inert = [], shellOptions = [] } = wrapper;
  let left = before;
  let wanted = subcommands;
  for (let index = at + 1; index < words.length; index++) {
    const word = words[index] ?? '';
    const [option = ''] = word.split('=');
    if (inert.includes(word)) return words.length;
    if (shellOptions.includes(option)) refuse(judgement, [at, words.length], `${words[at]} ${option}`);
    if (word === '--') left = 0;
    else if (word.startsWith('-')) index += takesNext(word, wrapper) ? 1 : 0;
    else if (wanted) wanted = wanted.includes(word) ? undefined : wanted;
    else if (!assignment.test(word) && left-- <= 0) return index;
  }
  return words.length;
}

function takesNext(word: string, { values = '', longValues = [] }: Wrapper): boolean {
  if (word.startsWith('--') || longValues.includes(word)) return longValues.includes(word);
  const letter = [...word.slice(1)].findIndex((char) => values.includes(char));
  return letter !== -1 && letter === word.length - 2;
}

function judgeNames({ words, judgement }: Case, at: number): void {
  const computes = words[at] !== 'read' && words.slice(at + 1).some((word) => /^-\w*i/.test(word));
  for (let index = at + 1; index < words.length; index++) {
    const [name = ''] = (words[index] ?? '').split('=');
    if (computes || name.includes(hole)) refuse(judgement, [index, index + 1], words[at] ?? '');
  }
}

// Bash computes what `[[ … -eq … ]]` compares, and the subscript of what -v asks for.
function judgeTest({ words, judgement }: Case, at: number): void {
  const computing = words[at] === '[[' ? /^-(eq|ne|lt|le|gt|ge|v)$/ : /^-v$/;
  if (words.some((word) => computing.test(word))) refuse(judgement, [at, words.length], 'a test that computes');
}

// Everything between -exec and its end is a command of its own.
function judgeFind(found: Case, at: number): void {
  for (let index = at + 1; index < found.words.length; index++) {
    if (!/^(-exec|-execdir|-ok|-okdir|-x|-X|--exec|--exec-batch)$/.test(found.words[index] ?? '')) continue;
    const rest = found.words.slice(index + 1);
    const end = rest.findIndex((part) => part === ';' || part === '+');
    const inner = end === -1 ? rest : rest.slice(0, end);
    judgeInner(found, index + 1, inner);
    index += inner.length;
  }
}

// What xargs reads is put where {} stands, else at the end: it is judged as if it stood there.
function judgeArguments(found: Case, at: number): void {
  const index = wrappedAt(found, at, wrappers.get('xargs') ?? {});
  const rest = found.words.slice(index);
  if (rest.length === 0) return;
  const place = replacedBy(found.words.slice(at + 1, index));
  const isFilled = (word: string, number: number): boolean => number >= rest.length || (place !== '' && word.includes(place));
  const filled = place === '' ? [...rest, hole] : rest.map((word) => word.replaceAll(place, hole));
  for (const [number, who] of judgeInner(found, index, filled).code)
    if (isFilled(rest[number] ?? '', number)) found.judgement.stdin = who;
}

function replacedBy(options: readonly string[]): string {
  const at = options.findIndex((word) => word.startsWith('-I') || word === '-i' || word.startsWith('--replace'));
  if (at === -1) return '';
  const [, attached = ''] = /^(?:-I|-i|--replace=?)(.*)$/.exec(options[at] ?? '') ?? [];
  return attached || (options[at] === '-I' ? (options[at + 1] ?? '{}') : '{}');
}

function judgeInner({ judgement, depth }: Case, offset: number, words: readonly string[]): Judgement {
  const inner = judgeWords(words, depth + 1);
  for (const [index, who] of inner.code) refuse(judgement, [offset + index, offset + index + 1], who);
  for (const [index, who] of inner.options) judgement.options.set(offset + index, who);
  for (const index of inner.scripts) judgement.scripts.push(offset + index);
  return inner;
}
