// The error for a browser that cannot be started or attached to. `hint` says what to do.

export class LaunchError extends Error {
  constructor(
    readonly code: string,
    message: string,
    readonly hint: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** The first two lines of a message of Playwright. The rest is a log and a banner. */
export function summarizeError(thrown: unknown): string {
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  const lines = message.split('\n').map((line) => line.trim());
  return lines
    .filter((line) => /\w/.test(line))
    .slice(0, 2)
    .join(' ');
}
