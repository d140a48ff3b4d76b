// Copies the progress of a run, from its journal and from the messages of its commands, to its event log and its status file.
import { join } from 'node:path';
import type { BeginLine, EndLine, JournalLine } from '../../evidence/journal.js';
import type { Mailbox } from '../../formats/template/model.js';
import { openVault, type Vault } from '../../secrets/vault.js';
import { systemClock } from '../../system/clock.js';
import { readBytesIfThere, writeFileAtomically } from '../../system/files/files.js';
import { followLines } from '../../system/files/lineFile.js';
import { appendEvent, parseObject, stateFiles, writeState } from './runState.js';

type FailedCommand = { path: string; argv?: readonly string[]; message: string };

export class RunFollower {
  private readonly journal: () => string[];
  private readonly outbox: () => string[];
  private readonly active = new Map<string, BeginLine>();
  private readonly failures: FailedCommand[] = [];
  private completed = 0;
  private vault: Vault = openVault(new Map());

  constructor(
    private readonly stateDir: string,
    private readonly run: string,
    private readonly mailbox: Mailbox = {},
  ) {
    this.journal = followLines(join(stateDir, stateFiles.package, 'journal.jsonl'));
    this.outbox = followLines(join(stateDir, stateFiles.outbox));
  }

  /** Handles the lines written since the previous call. */
  readNew(): void {
    const lines = this.journal().flatMap((line) => (parseObject(line) ?? []) as JournalLine);
    for (const line of lines) this.handleLine(line);
    for (const line of this.outbox()) this.forwardMessage(line);
    if (lines.length > 0) this.writeStatus('running');
  }

  /** Sets the secrets to mask in messages. Commands write their messages to the outbox unmasked. */
  useVault(vault: Vault): void {
    this.vault = vault;
  }

  /** Handles the last lines, and masks secrets in the outbox file. Call this when the run has ended. */
  end(): void {
    this.readNew();
    const outbox = join(this.stateDir, stateFiles.outbox);
    const outboxBytes = readBytesIfThere(outbox) ?? Buffer.alloc(0);
    if (this.vault.find(outboxBytes).length > 0) writeFileAtomically(outbox, this.vault.mask(outboxBytes.toString()));
  }

  writeStatus(status: string): void {
    const { run, completed, failures } = this;
    const active = [...this.active.values()].map(({ path, intent }) => ({ path, intent }));
    writeState(this.stateDir, 'status', { run, status, completed, failures, active, updated_at: systemClock.wall() });
  }

  private handleLine(line: JournalLine): void {
    if (line.t === 'begin' && line.action === 'rw.exec') {
      this.active.set(line.path, line);
      appendEvent(this.stateDir, 'command.start', { path: line.path, intent: line.intent });
    }
    if (line.t === 'end' && this.active.delete(line.path)) this.recordEnd(line);
  }

  // The journal is masked already.
  private recordEnd({ path, ok, ms, output, error }: EndLine): void {
    const { argv, exitCode } = Object(output) as CommandOutput;
    this.completed++;
    if (!ok) this.failures.push({ path, ...(argv ? { argv } : {}), message: error?.message ?? 'failed' });
    appendEvent(this.stateDir, 'command.done', { path, argv, exit_code: exitCode, ok, ms });
  }

  // The list `mailbox.emits` is only advice: other messages are forwarded, with a warning.
  private forwardMessage(line: string): void {
    if (line.trim() === '') return;
    const message = this.vault.maskJson(parseObject(line)) as Record<string, unknown> | undefined;
    const type = message?.type;
    if (typeof type !== 'string') {
      const text = this.vault.mask(line).slice(0, 10_000);
      appendEvent(this.stateDir, 'run.message', { problem: 'The message is not a JSON object with a "type".', text });
      return;
    }
    const emits = this.mailbox.emits?.map((entry) => (typeof entry === 'string' ? entry : entry.type));
    const warning = emits && !emits.includes(type) ? { warning: `mailbox.emits does not name ${JSON.stringify(type)}` } : {};
    appendEvent(this.stateDir, 'run.message', { message, ...warning });
  }
}

type CommandOutput = { argv?: readonly string[]; exitCode?: number | null };
