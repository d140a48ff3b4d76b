// Reads the words of shell text in one pass, with their quotes, expansions and value slots.
import type { ReferenceMatch } from '../engine/references.js';

const maxDepth = 60;

export abstract class ShellLexer {
  readonly slots: ValueSlot[] = [];
  /** Arithmetic expressions. Bash evaluates the variables there, and runs commands in their subscripts. */
  readonly arithmetic: Span[] = [];
  protected at = 0;
  protected syntax: string | undefined;
  private depth = 0;
  private referenceIndex = 0;
  private substitutions = 0;

  constructor(
    protected readonly text: string,
    private readonly references: readonly ReferenceMatch[],
  ) {}

  /** Reads commands up to `close`. */
  protected abstract readScript(close: ')' | '`'): void;

  protected readWord(close: string): Word {
    const from = this.slots.length;
    const before = this.substitutions;
    let word = '';
    while (this.at < this.text.length) {
      const char = this.char();
      if (this.takeReference('bare')) word += valuePlaceholder;
      else if (/[\s;&|()]/.test(char) || char === close) break;
      else if (char === '<' || char === '>') {
        if (this.char(1) !== '(') break;
        word += this.readSubstitution(2, 'a process substitution', ')');
      } else word += this.readPiece(char);
    }
    return { text: word, slots: [from, this.slots.length], hasSubstitution: this.substitutions > before };
  }

  private readPiece(char: string): string {
    if (char === '\\') return this.readEscaped();
    if (char === "'") return this.readSingleQuoted();
    if (char === '"') return this.readDoubleQuoted();
    if (char === '`') return this.readSubstitution(1, 'backticks', '`');
    if (char === '$') return this.readExpansion('bare');
    this.at++;
    return char;
  }

  private readSingleQuoted(): string {
    const close = this.text.indexOf("'", this.at + 1);
    this.at++;
    return this.readLiteral(close === -1 ? this.text.length : close, { quoting: 'single' }, 1);
  }

  /** Reads text up to `end` in which only references have a meaning. */
  protected readLiteral(end: number, context: Pick<ValueSlot, 'quoting'> & { syntax?: string }, skip = 0): string {
    let read = '';
    for (let next = this.nextReference(); next && next.start < end; next = this.nextReference()) {
      read += this.text.slice(this.at, next.start) + valuePlaceholder;
      this.at = next.start;
      this.withSyntaxContext(context.syntax, () => this.takeReference(context.quoting));
    }
    read += this.text.slice(this.at, Math.max(end, this.at));
    this.at = Math.max(end, this.at) + skip;
    return read;
  }

  private readDoubleQuoted(): string {
    let read = '';
    this.at++;
    while (this.at < this.text.length && this.char() !== '"') {
      const char = this.char();
      if (this.takeReference('double')) read += valuePlaceholder;
      else if (char === '\\') read += this.readEscaped();
      else if (char === '`') read += this.readSubstitution(1, 'backticks', '`');
      else if (char === '$') read += this.readExpansion('double');
      else {
        read += char;
        this.at++;
      }
    }
    this.at++;
    return read;
  }

  private readEscaped(): string {
    this.at++;
    if (this.withSyntaxContext('a word after a backslash', () => this.takeReference('bare'))) return valuePlaceholder;
    const char = this.char();
    this.at++;
    return char === '\n' ? '' : char;
  }

  protected readExpansion(quoting: 'bare' | 'double'): string {
    const start = this.at++;
    if (this.takeReference(quoting, { afterDollar: true })) return `$${valuePlaceholder}`;
    if (this.text.startsWith('((', this.at)) return this.readArithmetic(2);
    if (this.char() === '(') return this.readSubstitution(1, '$( )', ')');
    if (this.char() === '{') return this.readBraces();
    if (quoting === 'bare' && this.char() === "'") return this.readAnsiText();
    if (quoting === 'bare' && this.char() === '"') return this.readDoubleQuoted();
    const [name] = /^(?:[A-Za-z_]\w*|[@*#?$!\d-])/.exec(this.text.slice(this.at, this.at + 100)) ?? [];
    if (name === undefined) return '$';
    this.at += name.length;
    this.slots.push({ start, end: this.at, variable: name, quoting });
    return valuePlaceholder;
  }

  // In bash, `$'…'` is a string with escapes. In sh, it is a dollar sign and a quoted string.
  private readAnsiText(): string {
    let end = this.at + 1;
    while (end < this.text.length && this.text[end] !== "'") end += this.text[end] === '\\' ? 2 : 1;
    this.at++;
    return this.readLiteral(Math.min(end, this.text.length), { quoting: 'single', syntax: "$'…'" }, 1);
  }

  // Bash evaluates offsets and subscripts: the n of `${s:n}` and `${a[n]}` may have a subscript that runs a command.
  private readBraces(): string {
    const start = this.at++;
    const from = this.slots.length + 1;
    const [whole = '', name, computed] =
      /^[#!]?(\w+|[@*])(\[(?![@*]\])|:(?![-=?+]))?/.exec(this.text.slice(this.at, this.at + 100)) ?? [];
    if (name !== undefined) this.slots.push({ start, end: this.at, variable: name, quoting: 'double' });
    this.at += whole.length;
    this.readNested('an expansion in braces', () => this.readPieces('}', computed !== undefined));
    this.at++;
    if (computed !== undefined) this.arithmetic.push([from, this.slots.length]);
    return valuePlaceholder;
  }

  protected readArithmetic(open: number): string {
    const from = this.slots.length;
    this.at += open;
    this.readNested('arithmetic', () => this.readPieces(')', true));
    this.at += 2;
    this.arithmetic.push([from, this.slots.length]);
    return valuePlaceholder;
  }

  /** `isArithmetic`: names without a dollar sign are variables, too. */
  private readPieces(close: '}' | ')', isArithmetic = false): void {
    let open = 0;
    while (this.at < this.text.length && (open > 0 || this.char() !== close)) {
      const char = this.char();
      if (this.takeReference('bare')) continue;
      if (isArithmetic && char === '(') open++;
      if (isArithmetic && char === ')') open--;
      const [name] = isArithmetic && /[A-Za-z_]/.test(char) ? (/^\w+/.exec(this.text.slice(this.at, this.at + 100)) ?? []) : [];
      if (name !== undefined) {
        this.slots.push({ start: this.at, end: this.at + name.length, variable: name, quoting: 'bare' });
        this.at += name.length;
      } else this.readPiece(char);
    }
  }

  private readSubstitution(open: number, syntax: string, close: ')' | '`'): string {
    this.at += open;
    this.substitutions++;
    this.readNested(syntax, () => this.readScript(close));
    return valuePlaceholder;
  }

  // No real script nests deeper than `maxDepth`. Beyond it, the rest of the text counts as one literal, so that the stack cannot overflow.
  private readNested(syntax: string, read: () => void): void {
    this.depth++;
    if (this.depth > maxDepth)
      this.readLiteral(this.text.length, { quoting: 'bare', syntax: 'expansions that are nested too deep' });
    else this.withSyntaxContext(syntax, read);
    this.depth--;
  }

  private withSyntaxContext<T>(syntax: string | undefined, read: () => T): T {
    const outer = this.syntax;
    this.syntax = outer ?? syntax;
    const result = read();
    this.syntax = outer;
    return result;
  }

  /** Adds a slot for the reference at the current place. Returns false when no reference begins there. */
  protected takeReference(quoting: ValueSlot['quoting'], more: Pick<ValueSlot, 'afterDollar'> = {}): boolean {
    const next = this.nextReference();
    if (next?.start !== this.at) return false;
    const { name: reference, start, end } = next;
    this.slots.push({ start, end, reference, quoting, ...(this.syntax === undefined ? {} : { syntax: this.syntax }), ...more });
    this.referenceIndex++;
    this.at = end;
    return true;
  }

  private nextReference(): ReferenceMatch | undefined {
    return this.references[this.referenceIndex];
  }

  protected char(ahead = 0): string {
    return this.text[this.at + ahead] ?? '';
  }
}

/** A place in shell text that gets its value at run time: a reference of the recipe, or a variable of the shell. */
export type ValueSlot = {
  start: number;
  end: number;
  reference?: string;
  variable?: string;
  quoting: 'bare' | 'double' | 'single';
  /** The syntax around the slot, if the shell has special rules there, so that no quoting of a reference is safe. */
  syntax?: string;
  afterDollar?: true;
};

/** A range of slots by their index, without `to`. */
export type Span = readonly [from: number, to: number];

/** The character that replaces, in the text of a word, a value that is known only at run time. */
export const valuePlaceholder = '\0';

export type Word = {
  text: string;
  slots: Span;
  /** Whether the word has a command substitution. The commands there can read the input of the command around them. */
  hasSubstitution: boolean;
};

export type Command = {
  words: Word[];
  /** The slots in the input that comes from `<`, `<<<` or a heredoc. */
  inputs: Span[];
  hasInput: boolean;
  /** The slots of the commands whose output may be piped into this one. */
  piped?: Span;
};

/** A group of commands, such as `{ … }` or a loop. `from` and `to`: the range of its commands, without `to`. `inputs`: the slots in its input. */
export type Group = { from: number; to: number; inputs: Span[] };

export type ShellScript = {
  slots: readonly ValueSlot[];
  commands: readonly Command[];
  groups: readonly Group[];
  functions: ReadonlySet<string>;
  arithmetic: readonly Span[];
};
