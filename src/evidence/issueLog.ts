// The issues of a run (spec §17): what failed and what was logged unexpectedly, and whether it counts against the run.
import { type Disposition, issuePolicy } from './issuePolicy.js';
import type { FailOnUnexpected, Reported } from './models/journalLine.js';
import type { TraceEntry } from './trace.js';

export type Issue = {
  id: string;
  kind: 'failure' | 'log';
  level: Reported['level'];
  source: string;
  nodeId: string;
  message: string;
  disposition: Disposition;
  /** The file that has the whole text. */
  artifact: string;
};

export const issuesFile = 'issues.json';
const mostIssues = 1_000;
const longestMessage = 400;

export class IssueLog {
  /** With their texts cut, for the summary. */
  readonly issues: Issue[] = [];
  /** How many more there were than are kept. */
  more = 0;
  private readonly policy: ReturnType<typeof issuePolicy>;

  constructor(
    given: FailOnUnexpected | undefined,
    private readonly keep: (issue: Issue) => void,
  ) {
    this.policy = issuePolicy(given);
  }

  see(entry: TraceEntry, counts = true): void {
    // Of a node that was tried again only the last try counts.
    for (const earlier of [...(entry.attempts ?? []), ...(entry.entries ?? [])]) this.see(earlier, false);
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
    if (this.issues.length === mostIssues) {
      this.more++;
      return;
    }
    const issue: Issue = { id: `I${this.issues.length + 1}`, ...found, artifact: issuesFile };
    this.keep(issue);
    this.issues.push({ ...issue, message: short(issue.message) });
  }
}

// A cut must not leave half of a character behind.
function short(message: string): string {
  if (message.length <= longestMessage) return message;
  return `${message.slice(0, longestMessage).replace(/[\ud800-\udbff]$/, '')}…`;
}
/** Something unexpected in the product's own words; the recipe's policy says what becomes of it. */

export type Noticed = { level: 'error' | 'warning' | 'info'; source: string; message: string };
