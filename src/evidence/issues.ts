// The issues of a run (spec §17): its failures and its unexpected logs. `fail_on_unexpected` decides which of the logs fail the run.

import { RE2JS } from 're2js';
import type { FailOnUnexpected, LoggedIssue } from './models/journalLine.js';
import type { TraceEntry } from './trace.js';

export type Issue = {
  id: string;
  kind: 'failure' | 'log';
  level: LoggedIssue['level'];
  source: string;
  nodeId: string;
  message: string;
  disposition: Disposition;
  /** The file that has the whole message. */
  artifact: string;
};

export const issuesFile = 'issues.json';
const maxIssues = 1_000;
const maxMessageLength = 400;

export class IssueLog {
  /** The issues for the summary, with shortened messages. */
  readonly issues: Issue[] = [];
  /** The number of issues beyond `maxIssues`, which are left out. */
  moreIssues = 0;
  private readonly policy: ReturnType<typeof createIssuePolicy>;

  constructor(
    policy: FailOnUnexpected | undefined,
    private readonly writeIssue: (issue: Issue) => void,
  ) {
    this.policy = createIssuePolicy(policy);
  }

  addEntry(entry: TraceEntry, isLastAttempt = true): void {
    // Only the last attempt of a node can fail the run.
    for (const earlier of [...(entry.attempts ?? []), ...(entry.entries ?? [])]) this.addEntry(earlier, false);
    const { nodeId, action } = entry;
    for (const log of entry.issues ?? []) {
      const disposition = this.policy.dispositionOf(log);
      this.add({
        kind: 'log',
        ...log,
        nodeId,
        disposition: isLastAttempt || disposition === 'ignored' ? disposition : 'diagnostic',
      });
    }
    const message = entry.ok ? entry.tolerated?.error : (entry.error ?? '');
    if (message === undefined) return;
    const otherwise = this.policy.isAllowed(message) ? 'ignored' : 'diagnostic';
    const disposition = isLastAttempt && !entry.ok ? 'blocking' : otherwise;
    this.add({ kind: 'failure', level: 'error', source: action, nodeId, message, disposition });
  }

  private add(details: Omit<Issue, 'id' | 'artifact'>): void {
    if (this.issues.length === maxIssues) {
      this.moreIssues++;
      return;
    }
    const issue: Issue = { id: `I${this.issues.length + 1}`, ...details, artifact: issuesFile };
    this.writeIssue(issue);
    this.issues.push({ ...issue, message: shortenMessage(issue.message) });
  }
}

// Does not cut a surrogate pair in half.
function shortenMessage(message: string): string {
  if (message.length <= maxMessageLength) return message;
  return `${message.slice(0, maxMessageLength).replace(/[\ud800-\udbff]$/, '')}…`;
}

/** An unexpected log of the app under test. The policy of the recipe decides whether the log fails the run. */
export type UnexpectedLog = LoggedIssue;

type Disposition = 'blocking' | 'diagnostic' | 'ignored';

export type IssuePolicy = {
  isAllowed(message: string): boolean;
  /** Returns the disposition of a log. For failures there is no policy: a failure blocks unless the recipe tolerates it. */
  dispositionOf(issue: Pick<LoggedIssue, 'level' | 'message'>): Disposition;
};

export function createIssuePolicy(settings: FailOnUnexpected | undefined): IssuePolicy {
  const { enabled = false, levels = ['error'], allow = [] } = settings ?? {};
  const patterns = allow.flatMap(compilePattern);
  const isAllowed = (message: string): boolean => patterns.some((matches) => matches(message));
  return {
    isAllowed,
    dispositionOf({ level, message }) {
      if (isAllowed(message)) return 'ignored';
      return enabled && levels.includes(level) ? 'blocking' : 'diagnostic';
    },
  };
}

type MessagePattern = (message: string) => boolean;

// An invalid pattern allows nothing, so that a typo cannot make a run pass.
function compilePattern(text: unknown): MessagePattern[] {
  if (typeof text !== 'string' || text === '') return [];
  const [, source, flags = ''] = /^\/(.+)\/(i?)$/s.exec(text) ?? [];
  if (source === undefined) return [(message) => message.includes(text)];
  try {
    const compiled = RE2JS.compile(source, flags === 'i' ? RE2JS.CASE_INSENSITIVE : 0);
    return [(message) => compiled.test(message)];
  } catch {
    // RE2JSSyntaxException
    return [];
  }
}
