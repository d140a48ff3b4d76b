// Parses shell text into simple commands with their words, the pipes between the commands, and the groups of commands.
import type { ReferenceMatch } from '../engine/references.js';
import { type Command, type Group, ShellLexer, type ShellScript } from './shellLexer.js';

export function parseShell(text: string, references: readonly ReferenceMatch[]): ShellScript {
  const reader = new ShellParser(text, references);
  reader.readScript('');
  return reader;
}

type Inputs = Pick<Command, 'inputs'> & { hasInput?: boolean };
class ShellParser extends ShellLexer implements ShellScript {
  readonly commands: Command[] = [];
  readonly groups: Group[] = [];
  readonly functions = new Set<string>();
  private level: NestingLevel = { close: '', open: [], pipeline: 0, pipedFrom: -1, outerPipedFrom: -1 };
  private heredocs: { end: string; tabs: boolean; into: Inputs }[] = [];

  readScript(close: '' | ')' | '`'): void {
    const outer = this.level;
    // The commands inside `>( )` read the output of the command outside, wherever that command's words are.
    const pipedFrom = this.text.startsWith('>(', this.at - 2) ? outer.pipeline : -1;
    this.level = {
      close,
      open: [],
      pipeline: this.slots.length,
      pipedFrom,
      outerPipedFrom: pipedFrom,
      readsProcessSubstitution: pipedFrom !== -1,
    };
    while (this.at < this.text.length && !this.isAtEnd()) this.readNext();
    if (close !== '') this.at++;
    this.level = outer;
  }

  private isAtEnd(): boolean {
    const { close, open } = this.level;
    if (close === '' || this.char() !== close) return false;
    return close === '`' || !['(', 'case'].includes(open.at(-1)?.kind ?? '');
  }

  private readNext(): void {
    const char = this.char();
    if (char === '\n') this.endLine();
    else if (/\s/.test(char)) this.at++;
    else if (char === '\\' && this.char(1) === '\n') this.at += 2;
    else if (this.level.currentCommand?.words[0]?.text === '[[') this.readTestWord();
    else if (char === '#') this.readLiteral(this.lineEnd(), { quoting: 'bare' });
    else if (char === '&' && this.char(1) === '>') this.readRedirection(1);
    else if (char === ';' || char === '&') this.endStatement(this.char(1) === char ? 2 : 1);
    else if (char === '|') this.readPipe();
    else if (char === '(') this.openParenthesis();
    else if (char === ')') this.closeParenthesis();
    else if ((char === '<' || char === '>') && this.char(1) !== '(') this.readRedirection(0);
    else this.readCommandWord();
  }

  // Inside `[[ ]]`, `<`, `&&` and parentheses belong to the test, not to the shell.
  private readTestWord(): void {
    const word = this.readWord(this.level.close);
    if (word.text === '' && word.slots[0] === word.slots[1]) this.at++;
    else if (word.text === ']]') this.level.currentCommand = { words: [word], inputs: [], hasInput: false };
    else this.level.currentCommand?.words.push(word);
  }

  private readCommandWord(): void {
    const word = this.readWord(this.level.close);
    if (/^\d+$/.test(word.text) && /[<>]/.test(this.char()) && this.char(1) !== '(') return;
    if (!this.level.currentCommand?.words.length && this.readKeyword(word.text)) return;
    const { words } = this.currentOrNewCommand();
    words.push(word);
    if (words[0]?.text !== 'function' || words.length !== 2) return;
    this.functions.add(word.text);
    this.endStatement(0);
  }

  /** Opens or closes a group. Returns whether the word is a keyword that cannot be the name of a command. */
  private readKeyword(word: string): boolean {
    if (groupClosers.has(word)) this.closeGroup();
    else if (groupOpeners.has(word) || groupOpenersWithWords.has(word)) this.openGroup(word);
    return groupClosers.has(word) || groupOpeners.has(word) || continuationWords.has(word);
  }

  private currentOrNewCommand(): Command {
    const { pipedFrom, readsProcessSubstitution } = this.level;
    if (this.level.currentCommand) return this.level.currentCommand;
    const command: Command = { words: [], inputs: [], hasInput: false };
    if (pipedFrom !== -1) command.piped = [pipedFrom, readsProcessSubstitution ? Number.MAX_SAFE_INTEGER : this.slots.length];
    this.commands.push(command);
    this.level.currentCommand = command;
    return command;
  }

  private endCommand(): void {
    delete this.level.currentCommand;
    delete this.level.closedGroup;
  }

  private endStatement(length: number): void {
    this.at += length;
    this.endCommand();
    this.level.pipedFrom = this.level.outerPipedFrom;
    this.level.pipeline = this.slots.length;
  }

  private readPipe(): void {
    const next = this.char(1);
    if (next === '|') {
      this.endStatement(2);
      return;
    }
    this.at += next === '&' ? 2 : 1;
    this.endCommand();
    const { outerPipedFrom, pipeline } = this.level;
    this.level.pipedFrom = outerPipedFrom === -1 ? pipeline : outerPipedFrom;
  }

  private openGroup(kind: string): void {
    const { open, pipeline, pipedFrom, outerPipedFrom } = this.level;
    open.push({ kind, pipeline, pipedFrom: outerPipedFrom, first: this.commands.length });
    this.level.outerPipedFrom = pipedFrom;
    this.level.pipeline = this.slots.length;
  }

  private closeGroup(): void {
    const opened = this.level.open.pop();
    this.endCommand();
    if (!opened) return;
    const group: Group = { from: opened.first, to: this.commands.length, inputs: [] };
    this.groups.push(group);
    this.level.pipeline = opened.pipeline;
    this.level.pipedFrom = this.level.outerPipedFrom;
    this.level.outerPipedFrom = opened.pipedFrom;
    this.level.closedGroup = group;
  }

  private openParenthesis(): void {
    const { currentCommand } = this.level;
    const mayBeArithmetic = !currentCommand || currentCommand.words.at(-1)?.text === 'for';
    if (mayBeArithmetic && this.char(1) === '(') this.readArithmetic(2);
    else if (currentCommand?.words.length === 1 && /^\(\s*\)/.test(this.text.slice(this.at, this.at + 20))) {
      this.functions.add(currentCommand.words[0]?.text ?? '');
      this.commands.pop();
      this.endStatement(this.text.indexOf(')', this.at) + 1 - this.at);
    } else {
      this.at++;
      this.endCommand();
      this.openGroup('(');
    }
  }

  private closeParenthesis(): void {
    if (this.level.open.at(-1)?.kind === '(') {
      this.at++;
      this.closeGroup();
    } else this.endStatement(1);
  }

  private readRedirection(skip: number): void {
    const into: Inputs = this.level.currentCommand ?? this.level.closedGroup ?? this.currentOrNewCommand();
    const [operator = ''] = /^(?:<<<|<<-?|<[>&]?|>[>&|]?>?)/.exec(this.text.slice(this.at + skip, this.at + skip + 4)) ?? [];
    this.at += skip + operator.length;
    while (/[ \t]/.test(this.char())) this.at++;
    const word = this.readWord(this.level.close);
    if (!operator.startsWith('<')) return;
    into.hasInput = true;
    if (operator === '<<' || operator === '<<-') this.heredocs.push({ end: word.text, tabs: operator === '<<-', into });
    else into.inputs.push(word.slots);
  }

  private endLine(): void {
    const { currentCommand, closedGroup, pipedFrom, outerPipedFrom, pipeline } = this.level;
    // A line that ends with a pipe continues in the next line.
    const continues = !currentCommand && !closedGroup && pipedFrom !== outerPipedFrom;
    if (continues) this.at++;
    else this.endStatement(1);
    for (const { end, tabs, into } of this.heredocs.splice(0)) {
      const from = this.slots.length;
      while (this.at < this.text.length) {
        const line = this.readLiteral(this.lineEnd(), { quoting: 'double', syntax: 'a heredoc' }, 1);
        if ((tabs ? line.replace(/^\t+/, '') : line) === end) break;
        for (const [, variable = ''] of line.matchAll(/\$\{?([A-Za-z_]\w*|[@*\d])/g))
          this.slots.push({ start: this.at, end: this.at, variable, quoting: 'double' });
      }
      into.inputs.push([from, this.slots.length]);
    }
    this.level.pipeline = continues ? pipeline : this.slots.length;
  }

  private lineEnd(): number {
    const end = this.text.indexOf('\n', this.at);
    return end === -1 ? this.text.length : end;
  }
}

type OpenGroup = { kind: string; pipeline: number; pipedFrom: number; first: number };
/**
 * The state of the parser inside one pair of `$( )`, backticks or the like. `pipedFrom`: the first slot of the commands that are piped
 * into the current one, or -1. `pipeline`: the first slot of the current pipeline. `closedGroup`: the group that has just ended, to which
 * a redirection belongs.
 */
type NestingLevel = {
  close: string;
  open: OpenGroup[];
  pipeline: number;
  pipedFrom: number;
  outerPipedFrom: number;
  readsProcessSubstitution?: boolean;
  currentCommand?: Command;
  closedGroup?: Group;
};

const groupOpeners = new Set(['{', 'if', 'while', 'until']);
const groupOpenersWithWords = new Set(['for', 'case', 'select']);
const groupClosers = new Set(['}', 'fi', 'done', 'esac']);
const continuationWords = new Set(['then', 'else', 'elif', 'do', '!', 'time', 'coproc']);
