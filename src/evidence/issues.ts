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
  /** The file with the whole text. */
  artifact: string;
};

export const issuesFile = 'issues.json';
const maxIssues = 1_000;
const maxMessageLength = 400;

export class IssueLog {
  /** With shortened texts, for the summary. */
  readonly issues: Issue[] = [];
  /** The number of issues beyond `maxIssues`, which are not kept. */
  more = 0;
  private readonly policy: ReturnType<typeof createIssuePolicy>;

  constructor(
    policy: FailOnUnexpected | undefined,
    private readonly keep: (issue: Issue) => void,
  ) {
    this.policy = createIssuePolicy(policy);
  }

  addEntry(entry: TraceEntry, counts = true): void {
    // Only the last attempt of a node counts.
    for (const earlier of [...(entry.attempts ?? []), ...(entry.entries ?? [])]) this.addEntry(earlier, false);
    const { nodeId, action } = entry;
    for (const log of entry.issues ?? []) {
      const disposition = this.policy.dispositionOf(log);
      this.add({ kind: 'log', ...log, nodeId, disposition: counts || disposition === 'ignored' ? disposition : 'diagnostic' });
    }
    const message = entry.ok ? entry.tolerated?.error : (entry.error ?? '');
    if (message === undefined) return;
    const harmless = this.policy.isAllowed(message) ? 'ignored' : 'diagnostic';
    const disposition = counts && !entry.ok ? 'blocking' : harmless;
    this.add({ kind: 'failure', level: 'error', source: action, nodeId, message, disposition });
  }

  private add(details: Omit<Issue, 'id' | 'artifact'>): void {
    if (this.issues.length === maxIssues) {
      this.more++;
      return;
    }
    const issue: Issue = { id: `I${this.issues.length + 1}`, ...details, artifact: issuesFile };
    this.keep(issue);
    this.issues.push({ ...issue, message: shortenMessage(issue.message) });
  }
}

// Does not cut a surrogate pair in half.
function shortenMessage(message: string): string {
  if (message.length <= maxMessageLength) return message;
  return `${message.slice(0, maxMessageLength).replace(/[\ud800-\udbff]$/, '')}…`;
}

/** A log of the product that was not expected. The policy of the recipe decides whether it fails the run. */
export type UnexpectedLog = LoggedIssue;

type Disposition = 'blocking' | 'diagnostic' | 'ignored';

export type IssuePolicy = {
  isAllowed(message: string): boolean;
  /** For a log. A failure is blocking unless the recipe tolerates it. */
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
