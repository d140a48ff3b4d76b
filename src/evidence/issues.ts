// The issues of a run (spec §17): what failed and what was logged unexpectedly, and whether it counts against the run.

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
  /** The file that has the whole text. */
  artifact: string;
};

export const issuesFile = 'issues.json';
const maxIssues = 1_000;
const maxMessageLength = 400;

export class IssueLog {
  /** With their texts cut, for the summary. */
  readonly issues: Issue[] = [];
  /** How many more there were than are kept. */
  more = 0;
  private readonly policy: ReturnType<typeof createIssuePolicy>;

  constructor(
    policy: FailOnUnexpected | undefined,
    private readonly keep: (issue: Issue) => void,
  ) {
    this.policy = createIssuePolicy(policy);
  }

  addEntry(entry: TraceEntry, counts = true): void {
    // Of a node that was tried again only the last try counts.
    for (const earlier of [...(entry.attempts ?? []), ...(entry.entries ?? [])]) this.addEntry(earlier, false);
    const { nodeId, action } = entry;
    for (const log of entry.issues ?? []) {
      const disposition = this.policy.dispositionOf(log);
      this.add({ kind: 'log', ...log, nodeId, disposition: counts || disposition === 'ignored' ? disposition : 'diagnostic' });
    }
    const message = entry.ok ? entry.tolerated?.error : (entry.error ?? '');
    if (message === undefined) return;
    const passing = this.policy.isAllowed(message) ? 'ignored' : 'diagnostic';
    const disposition = counts && !entry.ok ? 'blocking' : passing;
    this.add({ kind: 'failure', level: 'error', source: action, nodeId, message, disposition });
  }

  private add(found: Omit<Issue, 'id' | 'artifact'>): void {
    if (this.issues.length === maxIssues) {
      this.more++;
      return;
    }
    const issue: Issue = { id: `I${this.issues.length + 1}`, ...found, artifact: issuesFile };
    this.keep(issue);
    this.issues.push({ ...issue, message: shortenMessage(issue.message) });
  }
}

// A cut must not leave half of a character behind.
function shortenMessage(message: string): string {
  if (message.length <= maxMessageLength) return message;
  return `${message.slice(0, maxMessageLength).replace(/[\ud800-\udbff]$/, '')}…`;
}
/** Something unexpected in the product's own words; the recipe's policy says what becomes of it. */

export type UnexpectedLog = { level: 'error' | 'warning' | 'info'; source: string; message: string };

// Which of the issues of a run fail it (spec §17): `fail_on_unexpected` names the levels, and what is expected after all.

export type Disposition = 'blocking' | 'diagnostic' | 'ignored';

export type IssuePolicy = {
  isAllowed(message: string): boolean;
  /** Of a log; a failure is blocking unless it is tolerated. */
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

// What cannot be read as a pattern allows nothing: a run must not turn green by a slip of the pen.
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
