// Retells the journal of a run, and the messages of its commands, to its event log and its status.
import { join } from 'node:path';
import type { BeginLine, EndLine, JournalLine } from '../../evidence/journal.js';
import type { Mailbox } from '../../formats/template/templateRecipe.js';
import { openVault, type Vault } from '../../secrets/vault.js';
import { systemClock } from '../../system/clock.js';
import { readBytesIfThere, writeFileAtomically } from '../../system/files/files.js';
import { followLines } from '../../system/files/lineFile.js';
import { names, objectIn, tellEvent, writeState } from './runState.js';

type Failed = { path: string; argv?: readonly string[]; message: string };

export class FollowRun {
  private readonly journal: () => string[];
  private readonly outbox: () => string[];
  private readonly active = new Map<string, BeginLine>();
  private readonly failures: Failed[] = [];
  private completed = 0;
  private vault: Vault = openVault(new Map());

  constructor(
    private readonly stateDir: string,
    private readonly run: string,
    private readonly mailbox: Mailbox = {},
  ) {
    this.journal = followLines(join(stateDir, names.package, 'journal.jsonl'));
    this.outbox = followLines(join(stateDir, names.outbox));
  }

  /** Everything that was written since it was called before. */
  look(): void {
    const lines = this.journal().flatMap((line) => (objectIn(line) ?? []) as JournalLine);
    for (const line of lines) this.see(line);
    for (const line of this.outbox()) this.pass(line);
    if (lines.length > 0) this.tellStatus('running');
  }

  /** Commands write their messages themselves, and nobody masks them on the way. */
  keepsSecret(vault: Vault): void {
    this.vault = vault;
  }

  /** What was written until now, and nothing will be any more. */
  end(): void {
    this.look();
    const outbox = join(this.stateDir, names.outbox);
    const written = readBytesIfThere(outbox) ?? Buffer.alloc(0);
    if (this.vault.find(written).length > 0) writeFileAtomically(outbox, this.vault.mask(written.toString()));
  }

  tellStatus(status: string): void {
    const { run, completed, failures } = this;
    const active = [...this.active.values()].map(({ path, intent }) => ({ path, intent }));
    writeState(this.stateDir, 'status', { run, status, completed, failures, active, updated_at: systemClock.wall() });
  }

  private see(line: JournalLine): void {
    if (line.t === 'begin' && line.action === 'rw.exec') {
      this.active.set(line.path, line);
      tellEvent(this.stateDir, 'command.start', { path: line.path, intent: line.intent });
    }
    if (line.t === 'end' && this.active.delete(line.path)) this.settle(line);
  }

  // What the journal holds is masked already, so that no secret gets into a log.
  private settle({ path, ok, ms, output, error }: EndLine): void {
    const { argv, exitCode } = Object(output) as Output;
    this.completed++;
    if (!ok) this.failures.push({ path, ...(argv ? { argv } : {}), message: error?.message ?? 'failed' });
    tellEvent(this.stateDir, 'command.done', { path, argv, exit_code: exitCode, ok, ms });
  }

  // A contract about messages is advice: one that it does not name is passed on with a remark.
  private pass(line: string): void {
    if (line.trim() === '') return;
    const message = this.vault.maskJson(objectIn(line)) as Record<string, unknown> | undefined;
    const type = message?.type;
    if (typeof type !== 'string') {
      const text = this.vault.mask(line).slice(0, 10_000);
      tellEvent(this.stateDir, 'run.message', { problem: 'it is no JSON object with a "type"', text });
      return;
    }
    const emits = this.mailbox.emits?.map((entry) => (typeof entry === 'string' ? entry : entry.type));
    const warning = emits && !emits.includes(type) ? { warning: `mailbox.emits does not name ${JSON.stringify(type)}` } : {};
    tellEvent(this.stateDir, 'run.message', { message, ...warning });
  }
}

type Output = { argv?: readonly string[]; exitCode?: number | null };
