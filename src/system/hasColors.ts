// Decides whether output to a stream may have colors. Libraries treat CI like a terminal, but its output goes to a file or a pipe.
export function hasColors({ isTTY }: { isTTY?: boolean }, env: NodeJS.ProcessEnv = process.env): boolean {
  const { NO_COLOR, FORCE_COLOR, TERM } = env;
  if (NO_COLOR) return false;
  if (FORCE_COLOR !== undefined) return FORCE_COLOR !== '0' && FORCE_COLOR !== 'false';
  return isTTY === true && TERM !== 'dumb';
}
