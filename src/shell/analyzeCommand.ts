// Finds the words of a command that its program reads as code. This depends on the program and its options, not on the content of a word.
import { type Interpreter, interpreters, optionSensitivePrograms, type Wrapper, wrappers } from './programs.js';
import { valuePlaceholder } from './shellLexer.js';

const maxDepth = 20;

/** Analyzes one command. `words` have a `valuePlaceholder` in place of each value that is known only at run time. */
export function analyzeCommand(words: readonly string[], depth = 0): CommandAnalysis {
  const analysis: CommandAnalysis = { code: new Map(), options: new Map(), scripts: [] };
  if (depth > maxDepth) markCode(analysis, [0, words.length], 'a program inside too many others');
  else analyzeProgram({ words, analysis, depth });
  return analysis;
}

const assignment = /^[A-Za-z_]\w*\+?=/;
/** Builtins whose operands are names of variables. Bash evaluates the subscript of such a name. */
const nameBuiltins = new Set([
  'export',
  'declare',
  'typeset',
  'local',
  'readonly',
  'read',
  'unset',
  'mapfile',
  'readarray',
  'getopts',
]);
const testCommands = new Set(['[[', '[', 'test']);

function analyzeProgram(context: AnalysisContext): void {
  const { words, analysis } = context;
  const at = findProgramIndex(context, 0);
  const word = words[at];
  if (word === undefined) return;
  const name = programName(word);
  if (word.includes(valuePlaceholder))
    markCode(analysis, [at, name.includes(valuePlaceholder) ? words.length : at + 1], 'the program that is run');
  if (optionSensitivePrograms.has(name)) markOptions(context, at, name);
  const interpreter = interpreters.get(name) ?? interpreters.get(name.replace(/[\d.]+$/, ''));
  if (interpreter) analyzeInterpreter(context, at, interpreter);
  else if (name === 'xargs') analyzeXargs(context, at);
  else if (name === 'find' || name === 'fd') analyzeFind(context, at);
  else if (nameBuiltins.has(name)) analyzeNameOperands(context, at);
  else if (testCommands.has(name)) analyzeTest(context, at);
  else if (name === 'printf' && words[at + 1] === '-v') markCode(analysis, [at, at + 3], 'printf -v');
}

/** Skips assignments, and programs that only start another program. */
function findProgramIndex(context: AnalysisContext, start: number): number {
  let at = start;
  for (;;) {
    while (assignment.test(context.words[at] ?? '')) at++;
    const name = programName(context.words[at] ?? '');
    const wrapper = name === 'xargs' ? undefined : wrappers.get(name);
    if (!wrapper) return at;
    at = findWrappedIndex(context, at, wrapper);
  }
}

function programName(word: string): string {
  return word.slice(word.lastIndexOf('/') + 1).replace(/\.exe$/i, '');
}

function findWrappedIndex({ words, analysis }: AnalysisContext, at: number, wrapper: Wrapper): number {
  const { operands: before = 0, subcommands, inert = [], shellOptions = [] } = wrapper;
  let operandsLeft = before;
  let missingSubcommands = subcommands;
  for (let index = at + 1; index < words.length; index++) {
    const word = words[index] ?? '';
    const [option = ''] = word.split('=');
    if (inert.includes(word)) return words.length;
    if (shellOptions.includes(option)) markCode(analysis, [at, words.length], `${words[at]} ${option}`);
    if (word === '--') operandsLeft = 0;
    else if (word.startsWith('-')) index += takesNextWord(word, wrapper) ? 1 : 0;
    else if (missingSubcommands) missingSubcommands = missingSubcommands.includes(word) ? undefined : missingSubcommands;
    else if (!assignment.test(word) && operandsLeft-- <= 0) return index;
  }
  return words.length;
}

function takesNextWord(word: string, { values = '', longValues = [] }: Wrapper): boolean {
  if (word.startsWith('--') || longValues.includes(word)) return longValues.includes(word);
  const letter = [...word.slice(1)].findIndex((char) => values.includes(char));
  return letter !== -1 && letter === word.length - 2;
}

function analyzeNameOperands({ words, analysis }: AnalysisContext, at: number): void {
  const isArithmetic = words[at] !== 'read' && words.slice(at + 1).some((word) => /^-\w*i/.test(word));
  for (let index = at + 1; index < words.length; index++) {
    const [name = ''] = (words[index] ?? '').split('=');
    if (isArithmetic || name.includes(valuePlaceholder)) markCode(analysis, [index, index + 1], words[at] ?? '');
  }
}

// Bash evaluates both sides of `[[ … -eq … ]]`, and the subscript of a variable after -v.
function analyzeTest({ words, analysis }: AnalysisContext, at: number): void {
  const arithmeticOperator = words[at] === '[[' ? /^-(eq|ne|lt|le|gt|ge|v)$/ : /^-v$/;
  if (words.some((word) => arithmeticOperator.test(word))) markCode(analysis, [at, words.length], 'a test that computes');
}

// The words between -exec and its `;` or `+` are a command.
function analyzeFind(context: AnalysisContext, at: number): void {
  for (let index = at + 1; index < context.words.length; index++) {
    if (!/^(-exec|-execdir|-ok|-okdir|-x|-X|--exec|--exec-batch)$/.test(context.words[index] ?? '')) continue;
    const rest = context.words.slice(index + 1);
    const end = rest.findIndex((part) => part === ';' || part === '+');
    const inner = end === -1 ? rest : rest.slice(0, end);
    analyzeInnerCommand(context, index + 1, inner);
    index += inner.length;
  }
}

// xargs inserts its input at the placeholder, such as {}, or else at the end of the command. So a placeholder for a value goes there.
function analyzeXargs(context: AnalysisContext, at: number): void {
  const index = findWrappedIndex(context, at, wrappers.get('xargs') ?? {});
  const rest = context.words.slice(index);
  if (rest.length === 0) return;
  const placeholder = findXargsPlaceholder(context.words.slice(at + 1, index));
  const hasInput = (word: string, number: number): boolean =>
    number >= rest.length || (placeholder !== '' && word.includes(placeholder));
  const command =
    placeholder === '' ? [...rest, valuePlaceholder] : rest.map((word) => word.replaceAll(placeholder, valuePlaceholder));
  for (const [number, reader] of analyzeInnerCommand(context, index, command).code)
    if (hasInput(rest[number] ?? '', number)) context.analysis.stdin = reader;
}

function findXargsPlaceholder(options: readonly string[]): string {
  const at = options.findIndex((word) => word.startsWith('-I') || word === '-i' || word.startsWith('--replace'));
  if (at === -1) return '';
  const [, attached = ''] = /^(?:-I|-i|--replace=?)(.*)$/.exec(options[at] ?? '') ?? [];
  return attached || (options[at] === '-I' ? (options[at + 1] ?? '{}') : '{}');
}

function analyzeInnerCommand({ analysis, depth }: AnalysisContext, offset: number, words: readonly string[]): CommandAnalysis {
  const inner = analyzeCommand(words, depth + 1);
  for (const [index, reader] of inner.code) markCode(analysis, [offset + index, offset + index + 1], reader);
  for (const [index, reader] of inner.options) analysis.options.set(offset + index, reader);
  for (const index of inner.scripts) analysis.scripts.push(offset + index);
  return inner;
}

type InterpreterScan = {
  /** Words with code, by their index. */
  code: Set<number>;
  /** Words with data, by their index. */
  data: Set<number>;
  hasCode: boolean;
  /** The index of the first operand, or -1. */
  script: number;
  operands: number;
};

function analyzeInterpreter(context: AnalysisContext, at: number, interpreter: Interpreter): void {
  const { words, analysis } = context;
  const name = words[at] ?? '';
  const scan = scanWords(words, at, interpreter);
  for (const index of scan.code) markCode(analysis, [index, index + 1], name);
  for (let index = at + 1; index < findCodeEnd(words, scan, interpreter); index++) {
    if (!scan.data.has(index)) markCode(analysis, [index, index + 1], name);
  }
  if (interpreter.shell && scan.hasCode && scan.script !== -1) analysis.scripts.push(scan.script);
  // `perl -e 'code' X` and `sed 1p X` treat X as an option if X begins with a dash.
  if (interpreter.permutes || (scan.hasCode && !interpreter.shell && !interpreter.codeEndsOptions))
    markOptions(context, at, name);
  if (interpreter.stdin && !hasProgramText(words, scan, interpreter)) analysis.stdin = name;
}

function scanWords(words: readonly string[], at: number, interpreter: Interpreter): InterpreterScan {
  const scan: InterpreterScan = { code: new Set(), data: new Set(), hasCode: false, script: -1, operands: 0 };
  let options = true;
  for (let index = at + 1; index < words.length; index++) {
    const word = words[index] ?? '';
    if (options && word === '--') options = false;
    else if (options && word.startsWith('-') && word !== '-') index = readOption(words, index, { interpreter, scan });
    else if (word !== '' && !(interpreter.subcommands?.includes(word) && index === at + 1)) {
      if (scan.operands++ === 0) scan.script = index;
      if (!interpreter.permutes) options = false;
    }
    if (scan.hasCode && interpreter.codeEndsOptions) return { ...scan, script: scan.script === -1 ? index + 1 : scan.script };
  }
  return scan;
}

/** Returns the index of the first word that is only an argument. Every word before the script affects which code runs. */
function findCodeEnd(words: readonly string[], { script, hasCode }: InterpreterScan, { operands, shell }: Interpreter): number {
  if (operands === 'data') return 0;
  if (operands === 'all' || operands === 'rest' || script === -1) return words.length;
  return hasCode && !shell ? script : script + 1;
}

function hasProgramText(
  words: readonly string[],
  { script, hasCode, operands }: InterpreterScan,
  interpreter: Interpreter,
): boolean {
  if (hasCode) return true;
  if (script === -1 || interpreter.operands === 'data' || interpreter.operands === 'all') return false;
  if (interpreter.operands === 'rest') return operands > 1;
  if (interpreter.shell && words.slice(0, script).some((word) => /^-[a-z]*s[a-z]*$/.test(word))) return false;
  return !/^(-|\/dev\/stdin|\/dev\/fd\/0|\/proc\/self\/fd\/0)$/.test(words[script] ?? '');
}

/** Returns the index of the last word that belongs to the option. */
function readOption(
  words: readonly string[],
  index: number,
  { interpreter, scan }: { interpreter: Interpreter; scan: InterpreterScan },
): number {
  const word = words[index] ?? '';
  const [option = ''] = word.split('=');
  if (interpreter.longCode?.includes(option)) return addCode(scan, index, word.includes('=') ? 0 : 1);
  const count = interpreter.longData?.[option];
  if (count !== undefined) return addData(scan, index, count);
  if (interpreter.longValues?.includes(word)) return index + 1;
  return word.startsWith('--') ? index : readLetters(word, index, { interpreter, scan });
}

function readLetters(
  word: string,
  index: number,
  { interpreter, scan }: { interpreter: Interpreter; scan: InterpreterScan },
): number {
  for (let at = 1; at < word.length; at++) {
    const letter = word[at] ?? '';
    const rest = word.slice(at + 1);
    const following = rest === '' ? 1 : 0;
    if (interpreter.attached?.includes(letter)) return index;
    if (interpreter.data?.includes(letter)) return addData(scan, index, following);
    if (interpreter.values?.includes(letter)) return index + following;
    if (!interpreter.code?.includes(letter)) continue;
    // `node -pe code` has two letters before their value, `perl -eprint` has one letter with its value attached.
    if (!interpreter.shell) return addCode(scan, index, [...rest].every((other) => interpreter.code?.includes(other)) ? 1 : 0);
    scan.hasCode = true;
  }
  return index;
}

function addCode(scan: InterpreterScan, index: number, count: number): number {
  scan.hasCode = true;
  scan.code.add(index).add(index + count);
  return index + count;
}

function addData({ data }: InterpreterScan, index: number, count: number): number {
  for (let at = index; at <= index + count; at++) data.add(at);
  return index + count;
}

export type CommandAnalysis = {
  /** Words that are read as code, by their index, with the program that reads them. */
  code: Map<number, string>;
  /** The program that reads standard input as code. */
  stdin?: string;
  /** Words that the program would treat as an option if they began with a dash. */
  options: Map<number, string>;
  /** The indexes of words with shell text for `sh -c`. The words after such a word are its positional parameters. */
  scripts: number[];
};

type AnalysisContext = { words: readonly string[]; analysis: CommandAnalysis; depth: number };

function markCode({ code }: CommandAnalysis, [from, to]: readonly [number, number], reader: string): void {
  for (let at = from; at < to; at++) if (!code.has(at)) code.set(at, reader);
}

/** Marks the words from the one after `at` up to `--`. */
function markOptions({ words, analysis }: AnalysisContext, at: number, reader: string): void {
  for (let index = at + 1; index < words.length && words[index] !== '--'; index++) analysis.options.set(index, reader);
}
