// One command line to its words, before anything is filled in. No shell reads it: operators, globs and variables are plain text.
export function splitCommand(text: string): string[] {
  const words: string[] = [];
  let word: string | undefined;
  let quote: string | undefined;
  let isEscaped = false;
  for (const char of text) {
    if (isEscaped) {
      word = (word ?? '') + char;
      isEscaped = false;
    } else if (char === '\\' && quote !== "'") isEscaped = true;
    else if (char === quote) quote = undefined;
    else if (quote !== undefined) word = (word ?? '') + char;
    else if (char === '"' || char === "'") {
      quote = char;
      word ??= '';
    } else if (/\s/.test(char)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else word = (word ?? '') + char;
  }
  if (isEscaped) word = `${word ?? ''}\\`;
  if (word !== undefined) words.push(word);
  return words;
}
