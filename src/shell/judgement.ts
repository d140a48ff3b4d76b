// What is known of a command's words once its program is known.
export type Judgement = {
  /** Words that are read as code, by their number, with who reads them. */
  code: Map<number, string>;
  /** Who reads standard input as code. */
  stdin?: string;
  /** Words that the program takes for an option when they begin with a dash. */
  options: Map<number, string>;
  /** The words with shell text that a shell inside runs; what follows each are its positional parameters. */
  scripts: number[];
};

export type Case = { words: readonly string[]; judgement: Judgement; depth: number };

export function refuse({ code }: Judgement, [from, to]: readonly [number, number], who: string): void {
  for (let at = from; at < to; at++) if (!code.has(at)) code.set(at, who);
}

/** From one word on, up to a `--`. */
export function addOptions({ words, judgement }: Case, at: number, who: string): void {
  for (let index = at + 1; index < words.length && words[index] !== '--'; index++) judgement.options.set(index, who);
}
