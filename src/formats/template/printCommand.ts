// Prints a command for reports. Quotes the words that a shell would split or expand.
export function printCommand(argv: readonly string[]): string {
  return argv.map(quote).join(' ');
}

function quote(word: string): string {
  return /^[A-Za-z0-9_/:=.,@%+-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
