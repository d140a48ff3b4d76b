// What is known of a shell text once it is split: marks where values go in, words, commands and groups.
/** A place where a value goes in: a reference of ours, or a variable of the shell. */
export type Mark = {
  start: number;
  end: number;
  reference?: string;
  variable?: string;
  quoting: 'bare' | 'double' | 'single';
  /** What it stands in, when the shell reads that by rules of its own. */
  inside?: string;
  afterDollar?: true;
};

/** Marks by their number, the last one not included. */
export type Span = readonly [from: number, to: number];

/** What stands in the text of a word for something that is known only at run time. */
export const hole = '\0';

export type Word = {
  text: string;
  marks: Span;
  /** Commands run inside of it, and they read what the command around them could read. */
  runs: boolean;
};

export type Command = {
  words: Word[];
  /** Marks of what is given to it by `<`, `<<<` or a heredoc. */
  inputs: Span[];
  hasInput: boolean;
  /** Marks of what may be piped into it. */
  piped?: Span;
};

export type Group = { from: number; to: number; inputs: Span[] };

export type ShellScript = {
  marks: readonly Mark[];
  commands: readonly Command[];
  groups: readonly Group[];
  functions: ReadonlySet<string>;
  arithmetic: readonly Span[];
};
