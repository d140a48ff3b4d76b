// Which of the issues of a run fail it (spec §17): `fail_on_unexpected` names the levels, and what is expected after all.
import { RE2JS } from 're2js';
import type { FailOnUnexpected, Reported } from './models/journalLine.js';

export type Disposition = 'blocking' | 'diagnostic' | 'ignored';

export type IssuePolicy = {
  isAllowed(message: string): boolean;
  /** Of a log; a failure is blocking unless it is tolerated. */
  dispositionOf(issue: Pick<Reported, 'level' | 'message'>): Disposition;
};

export function issuePolicy(given: FailOnUnexpected | undefined): IssuePolicy {
  const { enabled = false, levels = ['error'], allow = [] } = given ?? {};
  const patterns = allow.flatMap(patternOf);
  const isAllowed = (message: string): boolean => patterns.some((found) => found(message));
  return {
    isAllowed,
    dispositionOf({ level, message }) {
      if (isAllowed(message)) return 'ignored';
      return enabled && levels.includes(level) ? 'blocking' : 'diagnostic';
    },
  };
}

type Pattern = (message: string) => boolean;

// What cannot be read as a pattern allows nothing: a run must not turn green by a slip of the pen.
function patternOf(given: unknown): Pattern[] {
  if (typeof given !== 'string' || given === '') return [];
  const [, source, flags = ''] = /^\/(.+)\/(i?)$/s.exec(given) ?? [];
  if (source === undefined) return [(message) => message.includes(given)];
  try {
    const compiled = RE2JS.compile(source, flags === 'i' ? RE2JS.CASE_INSENSITIVE : 0);
    return [(message) => compiled.test(message)];
  } catch {
    // RE2JSSyntaxException
    return [];
  }
}
