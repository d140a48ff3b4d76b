import * as z from 'zod';
import type { UnexpectedLog } from '../../evidence/issues.js';
import { RecipeError } from '../../evidence/recipeError.js';
import type { FileBaseline } from '../../system/files/fileBaseline.js';
import { resolveInside } from '../../system/files/files.js';
import { readPieceInside } from '../../system/files/readInside.js';
import { type ActionContext, type ActionResult, defineAction } from '../action.js';
import { projectPath } from './projectFile.js';

const schema = z.strictObject({
  path: projectPath.describe('Relative to the project root.'),
  contains: z.string().min(1).optional().describe('Waits for this string until the timeout of the node.'),
  scope: z
    .enum(['run', 'file'])
    .default('run')
    .describe('run: only content that was written since the run began. file: the whole file.'),
});

type Fields = z.output<typeof schema>;

export const watchLogs = defineAction({
  name: 'watch_logs',
  description: 'Waits until a log file contains a string, by default only in content that was written since the run began.',
  schema,
  examples: [
    {
      description: 'The app has logged the order.',
      node: { action: 'watch_logs', path: 'logs/app.log', contains: 'order confirmed' },
    },
  ],
  effect: 'reads',
  asserts: ({ fields }) => fields.contains !== undefined,
  fallible: ({ contains }) => contains !== undefined,
  watchedFile: ({ fields: { path, scope } }) => (typeof path === 'string' && scope !== 'file' ? path : undefined),
  async run(fields, context) {
    const watcher = new LogWatcher(fields, context);
    while (!watcher.readNewContent() && fields.contains !== undefined && (await watcher.pause()));
    return watcher.result();
  },
});

const pollMs = 100;
/** The time before the timeout that is reserved for the failure message. */
const maxReserveMs = 300;
const chunkBytes = 4_000_000;
const maxIssues = 50;
/** For authors who expect the old content to count. */
const oldTextHint =
  ' The text is only in old content of the file. If the run writes the whole file, remove or empty it in setup.';
const noPatternHint = ' "path" must name one file: patterns with * or ? are not supported.';

class LogWatcher {
  private readonly file: string;
  /** Undefined when the whole file counts. */
  private readonly baseline: FileBaseline | undefined;
  private readonly since: 'run' | 'node';
  private readonly reserveMs: number;
  private readonly issues: UnexpectedLog[] = [];
  /** The offset of the first new byte. Undefined while it is unknown. */
  private start: number | undefined;
  /** Changes when another file takes the path, such as after a log rotation. */
  private identity = '';
  private offset = 0;
  private scannedBytes = 0;
  /** The end of the last chunk: the text may begin there and end in the next chunk. */
  private chunkTail = '';
  private incompleteLine = '';
  private isFound = false;
  private exists = false;

  constructor(
    private readonly fields: Fields,
    private readonly context: ActionContext,
  ) {
    const file = resolveInside(context.projectRoot, fields.path);
    if (file === undefined) throw outsideProjectError(fields.path);
    this.file = file;
    const { file: baseline, since } = context.fileAtStart(fields.path);
    this.since = since;
    this.baseline = fields.scope === 'file' ? undefined : baseline;
    this.reserveMs = Math.min(maxReserveMs, context.remainingMs() / 4);
  }

  /** Continues where the last call stopped. Returns whether the text was found. */
  readNewContent(): boolean {
    this.baseline?.refresh();
    for (;;) {
      const read = readPieceInside({ root: this.context.projectRoot, file: this.file, offset: this.offset, limit: chunkBytes });
      if (!read) return false;
      if ('outside' in read) throw outsideProjectError(this.fields.path);
      this.exists = true;
      const wasReplaced = read.identity !== this.identity || read.size < this.offset;
      if (this.start === undefined || wasReplaced) {
        this.identity = read.identity;
        if (!this.findStart()) return this.isFound;
        continue;
      }
      if (read.bytes.length === 0) return this.isFound;
      this.offset += read.bytes.length;
      this.scannedBytes += read.bytes.length;
      if (this.scan(read.bytes.toString('latin1'))) return true;
    }
  }

  /** Finds where the new content begins. Returns false while that is unknown. */
  private findStart(): boolean {
    this.start = this.baseline ? this.baseline.findNewContent() : 0;
    this.offset = this.start ?? 0;
    // A text that begins in an old line and ends in new content counts as new.
    this.chunkTail = this.readBefore(this.offset, this.searchText.length - 1);
    this.incompleteLine = '';
    return this.start !== undefined;
  }

  private get searchText(): string {
    return Buffer.from(this.fields.contains ?? '').toString('latin1');
  }

  /** Reads up to `maxBytes` bytes before the offset `end`. */
  private readBefore(end: number, maxBytes: number): string {
    const offset = Math.max(0, end - maxBytes);
    if (offset >= end) return '';
    const read = readPieceInside({ root: this.context.projectRoot, file: this.file, offset, limit: end - offset });
    return read && 'bytes' in read ? read.bytes.toString('latin1') : '';
  }

  private hint(): string {
    if (!this.exists) return /[*?]/.test(this.fields.path) ? noPatternHint : '';
    // Without a known start, the whole file may be old.
    return this.readBefore(this.start ?? chunkBytes, chunkBytes).includes(this.searchText) ? oldTextHint : '';
  }

  /** Waits before the next read. Returns false when no time is left. */
  async pause(): Promise<boolean> {
    const { signal, clock, remainingMs } = this.context;
    if (signal.aborted || remainingMs() <= this.reserveMs) return false;
    await new Promise<void>((resolve) => void clock.after(Math.min(pollMs, remainingMs() - this.reserveMs), resolve));
    return !signal.aborted;
  }

  result(): ActionResult {
    const { path, contains, scope } = this.fields;
    const output = {
      path,
      matched: contains === undefined ? null : this.isFound,
      scope,
      offset: this.start ?? 0,
      bytesScanned: this.scannedBytes,
    };
    const issues = this.issues.length > 0 ? { issues: this.issues } : {};
    if (contains === undefined) return { output, ...issues };
    const { proofTarget } = this.context.node;
    const entry = { operator: 'contains', path: '$', source: path, expected: contains, held: this.isFound };
    const asserts = [{ ...entry, ...(proofTarget === undefined ? {} : { proofTarget }) }];
    if (this.isFound) return { output, asserts, ...issues };
    const where = scope === 'run' ? ` in the content written since the ${this.since} began` : '';
    const problem = this.exists ? `does not contain ${JSON.stringify(contains)}${where}` : 'does not exist';
    const message = `The log ${path} ${problem}.${this.hint()}`;
    return { output, asserts, ...issues, failure: new RecipeError('watch_logs.not_found', 'assertion', message) };
  }

  // Works on bytes as Latin-1 characters, because a chunk can end within a UTF-8 character. Complete lines are decoded as UTF-8.
  private scan(chunk: string): boolean {
    const { searchText } = this;
    const text = this.chunkTail + chunk;
    this.isFound ||= searchText !== '' && text.includes(searchText);
    this.chunkTail = searchText.length > 1 ? text.slice(1 - searchText.length) : '';
    const lines = (this.incompleteLine + chunk).split('\n');
    this.incompleteLine = (lines.pop() ?? '').slice(0, 10_000);
    for (const line of lines) this.addIssue(line);
    return this.isFound;
  }

  /** Records a line that looks like an error or a warning. */
  private addIssue(line: string): void {
    const level = /\b(?:ERROR|FATAL|PANIC|Uncaught|Unhandled)\b/.test(line)
      ? 'error'
      : /\bWARN(?:ING)?\b/.test(line)
        ? 'warning'
        : undefined;
    if (level === undefined || this.issues.length >= maxIssues) return;
    this.issues.push({
      level,
      source: this.fields.path,
      message: Buffer.from(line, 'latin1').toString().trimEnd().slice(0, 2_000),
    });
  }
}

function outsideProjectError(path: string): RecipeError {
  return new RecipeError(
    'file.outside_project',
    'action',
    `${JSON.stringify(path)} is outside the project. Use a path inside it.`,
  );
}
