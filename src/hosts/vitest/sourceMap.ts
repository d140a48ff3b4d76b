// A source map of one source, written segment by segment.

/** `at`: the column in the generated line; from 0, like the others. */
export type Segment = { at: number; line: number; column: number };

export type SourceMap = {
  version: 3;
  file: string;
  sources: string[];
  sourcesContent: string[];
  names: string[];
  mappings: string;
};

export function sourceMap(file: string, text: string, lines: readonly (readonly Segment[])[]): SourceMap {
  let [line, column] = [0, 0];
  const mappings = lines.map((segments) => {
    let at = 0;
    return segments
      .map((segment) => {
        const encoded = [segment.at - at, 0, segment.line - line, segment.column - column].map(encode).join('');
        ({ at, line, column } = segment);
        return encoded;
      })
      .join(',');
  });
  return { version: 3, file, sources: [file], sourcesContent: [text], names: [], mappings: mappings.join(';') };
}

const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/** A number in base 64, five bits a digit, its sign in the lowest bit. */
function encode(value: number): string {
  let rest = value < 0 ? (-value << 1) | 1 : value << 1;
  let text = '';
  do {
    const digit = rest & 31;
    rest >>>= 5;
    text += digits[rest > 0 ? digit | 32 : digit];
  } while (rest > 0);
  return text;
}
