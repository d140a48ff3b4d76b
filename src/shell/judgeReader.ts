// Where an interpreter finds its code among its words: up to the script everything decides what runs, after it come arguments.
import { addOptions, type Case, refuse } from './judgement.js';
import type { Reader } from './programs.js';

type Scan = {
  /** Words with code, words with data. */
  code: Set<number>;
  data: Set<number>;
  hasCode: boolean;
  /** The first operand, or -1. */
  script: number;
  operands: number;
};

export function judgeReader(found: Case, at: number, reader: Reader): void {
  const { words, judgement } = found;
  const name = words[at] ?? '';
  const scan = scanWords(words, at, reader);
  for (const index of scan.code) refuse(judgement, [index, index + 1], name);
  for (let index = at + 1; index < codeEnd(words, scan, reader); index++) {
    if (!scan.data.has(index)) refuse(judgement, [index, index + 1], name);
  }
  if (reader.shell && scan.hasCode && scan.script !== -1) judgement.scripts.push(scan.script);
  // `perl -e 'code' X` and `sed 1p X` take X for an option when it looks like one.
  if (reader.permutes || (scan.hasCode && !reader.shell && !reader.codeEndsOptions)) addOptions(found, at, name);
  if (reader.stdin && !isTold(words, scan, reader)) judgement.stdin = name;
}

function scanWords(words: readonly string[], at: number, reader: Reader): Scan {
  const scan: Scan = { code: new Set(), data: new Set(), hasCode: false, script: -1, operands: 0 };
  let options = true;
  for (let index = at + 1; index < words.length; index++) {
    const word = words[index] ?? '';
    if (options && word === '--') options = false;
    else if (options && word.startsWith('-') && word !== '-') index = readOption(words, index, { reader, scan });
    else if (word !== '' && !(reader.subcommands?.includes(word) && index === at + 1)) {
      if (scan.operands++ === 0) scan.script = index;
      if (!reader.permutes) options = false;
    }
    if (scan.hasCode && reader.codeEndsOptions) return { ...scan, script: scan.script === -1 ? index + 1 : scan.script };
  }
  return scan;
}

/** The first word that is only an argument. */
function codeEnd(words: readonly string[], { script, hasCode }: Scan, { operands, shell }: Reader): number {
  if (operands === 'data') return 0;
  if (operands === 'all' || operands === 'rest' || script === -1) return words.length;
  return hasCode && !shell ? script : script + 1;
}

function isTold(words: readonly string[], { script, hasCode, operands }: Scan, reader: Reader): boolean {
  if (hasCode) return true;
  if (script === -1 || reader.operands === 'data' || reader.operands === 'all') return false;
  if (reader.operands === 'rest') return operands > 1;
  if (reader.shell && words.slice(0, script).some((word) => /^-[a-z]*s[a-z]*$/.test(word))) return false;
  return !/^(-|\/dev\/stdin|\/dev\/fd\/0|\/proc\/self\/fd\/0)$/.test(words[script] ?? '');
}

/** The number of the last word that belongs to the option. */
function readOption(words: readonly string[], index: number, { reader, scan }: { reader: Reader; scan: Scan }): number {
  const word = words[index] ?? '';
  const [option = ''] = word.split('=');
  if (reader.longCode?.includes(option)) return addCode(scan, index, word.includes('=') ? 0 : 1);
  const count = reader.longData?.[option];
  if (count !== undefined) return addData(scan, index, count);
  if (reader.longValues?.includes(word)) return index + 1;
  return word.startsWith('--') ? index : readLetters(word, index, { reader, scan });
}

function readLetters(word: string, index: number, { reader, scan }: { reader: Reader; scan: Scan }): number {
  for (let at = 1; at < word.length; at++) {
    const letter = word[at] ?? '';
    const rest = word.slice(at + 1);
    const following = rest === '' ? 1 : 0;
    if (reader.attached?.includes(letter)) return index;
    if (reader.data?.includes(letter)) return addData(scan, index, following);
    if (reader.values?.includes(letter)) return index + following;
    if (!reader.code?.includes(letter)) continue;
    // `node -pe code` is two letters and one text, `perl -eprint` one letter with its text.
    if (!reader.shell) return addCode(scan, index, [...rest].every((other) => reader.code?.includes(other)) ? 1 : 0);
    scan.hasCode = true;
  }
  return index;
}

function addCode(scan: Scan, index: number, count: number): number {
  scan.hasCode = true;
  scan.code.add(index).add(index + count);
  return index + count;
}

function addData({ data }: Scan, index: number, count: number): number {
  for (let at = index; at <= index + count; at++) data.add(at);
  return index + count;
}
