// Prints a command for people: words that a shell would take apart are quoted.
export function printCommand(argv: readonly string[]): string {
  return argv.map(quote).join(' ');
}

function quote(word: string): string {
  return /^[A-Za-z0-9_/:=.,@%+-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
