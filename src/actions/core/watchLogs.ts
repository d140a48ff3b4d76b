import * as z from 'zod';
import type { UnexpectedLog } from '../../evidence/issues.js';
import { RecipeError } from '../../evidence/recipeError.js';
import type { FileBaseline } from '../../system/files/fileBaseline.js';
import { resolveInside } from '../../system/files/files.js';
import { readPieceInside } from '../../system/files/readInside.js';
import { type ActionContext, type ActionResult, defineAction } from '../action.js';
import { projectPath } from './projectFile.js';

const schema = z.strictObject({
  path: projectPath.describe('Relative to the project.'),
  contains: z.string().min(1).optional().describe('Waits for this text until the time of the node is over.'),
  scope: z.enum(['run', 'file']).default('run').describe('run: only what was written since the run began.'),
});

type Fields = z.output<typeof schema>;

export const watchLogs = defineAction({
  name: 'watch_logs',
  description: 'Waits until a log file holds a text, by default in what was written since the run began.',
  schema,
  examples: [
    { description: 'The order was logged.', node: { action: 'watch_logs', path: 'logs/app.log', contains: 'order confirmed' } },
  ],
  effect: 'reads',
  asserts: ({ fields }) => fields.contains !== undefined,
  fallible: ({ contains }) => contains !== undefined,
  watchedFile: ({ fields: { path, scope } }) => (typeof path === 'string' && scope !== 'file' ? path : undefined),
  async run(fields, context) {
    const watch = new Watch(fields, context);
    while (!watch.readOn() && fields.contains !== undefined && (await watch.pause()));
    return watch.result();
  },
});

const pollMs = 100;
/** What is left for telling that the text never came. */
const maxReserveMs = 300;
const chunkBytes = 4_000_000;
const maxIssues = 50;
/** For who expects a line that the file held before, too. */
const oldTextHint =
  ' The text stands in lines that the file held before, which are not new. If the run writes all of the file, remove or empty it in setup.';
const noPatternHint = ' The path names one file: patterns with * or ? are not supported.';

class Watch {
  private readonly file: string;
  private readonly remembered: FileBaseline | undefined;
  private readonly since: 'run' | 'node';
  private readonly reserveMs: number;
  private readonly issues: UnexpectedLog[] = [];
  /** Where it began to read, once that is known, and in which file. */
  private start: number | undefined;
  private identity = '';
  private offset = 0;
  private scanned = 0;
  /** The end of what was read, for a text that is cut in two; and the line that is not whole yet. */
  private seam = '';
  private line = '';
  private found = false;
  private exists = false;

  constructor(
    private readonly fields: Fields,
    private readonly context: ActionContext,
  ) {
    const file = resolveInside(context.projectRoot, fields.path);
    if (file === undefined) throw outsideProjectError(fields.path);
    this.file = file;
    const { file: remembered, since } = context.fileAtStart(fields.path);
    this.since = since;
    this.remembered = fields.scope === 'file' ? undefined : remembered;
    this.reserveMs = Math.min(maxReserveMs, context.remainingMs() / 4);
  }

  /** Reads on from where it stopped; true when the text is there. */
  readOn(): boolean {
    this.remembered?.refresh();
    for (;;) {
      const read = readPieceInside({ root: this.context.projectRoot, file: this.file, offset: this.offset, limit: chunkBytes });
      if (!read) return false;
      if ('outside' in read) throw outsideProjectError(this.fields.path);
      this.exists = true;
      const isBegunAnew = read.identity !== this.identity || read.size < this.offset;
      if (this.start === undefined || isBegunAnew) {
        this.identity = read.identity;
        if (!this.begin()) return this.found;
        continue;
      }
      if (read.bytes.length === 0) return this.found;
      this.offset += read.bytes.length;
      this.scanned += read.bytes.length;
      if (this.scan(read.bytes.toString('latin1'))) return true;
    }
  }

  /** Finds out where the new part of the file begins; false while that cannot be known. */
  private begin(): boolean {
    this.start = this.remembered ? this.remembered.findNewContent() : 0;
    this.offset = this.start ?? 0;
    // A text that begins in an old line and ends in what was appended to it is new.
    this.seam = this.before(this.offset, this.wanted.length - 1);
    this.line = '';
    return this.start !== undefined;
  }

  private get wanted(): string {
    return Buffer.from(this.fields.contains ?? '').toString('latin1');
  }

  /** As many bytes of the file as there are before a place, up to `most`. */
  private before(end: number, most: number): string {
    const offset = Math.max(0, end - most);
    if (offset >= end) return '';
    const read = readPieceInside({ root: this.context.projectRoot, file: this.file, offset, limit: end - offset });
    return read && 'bytes' in read ? read.bytes.toString('latin1') : '';
  }

  private hint(): string {
    if (!this.exists) return /[*?]/.test(this.fields.path) ? noPatternHint : '';
    // Where nothing is known to be new, all of it may be old.
    return this.before(this.start ?? chunkBytes, chunkBytes).includes(this.wanted) ? oldTextHint : '';
  }

  /** False when the time is over. */
  async pause(): Promise<boolean> {
    const { signal, clock, remainingMs } = this.context;
    if (signal.aborted || remainingMs() <= this.reserveMs) return false;
    await new Promise<void>((resolve) => void clock.after(Math.min(pollMs, remainingMs() - this.reserveMs), resolve));
    return !signal.aborted;
  }

  result(): ActionResult {
    const { path, contains, scope } = this.fields;
    const seen = {
      path,
      matched: contains === undefined ? null : this.found,
      scope,
      offset: this.start ?? 0,
      bytesScanned: this.scanned,
    };
    const issues = this.issues.length > 0 ? { issues: this.issues } : {};
    if (contains === undefined) return { output: seen, ...issues };
    const { proofTarget } = this.context.node;
    const made = { operator: 'contains', path: '$', source: path, expected: contains, held: this.found };
    const asserts = [{ ...made, ...(proofTarget === undefined ? {} : { proofTarget }) }];
    if (this.found) return { output: seen, asserts, ...issues };
    const where = scope === 'run' ? ` in what was written since the ${this.since} began` : '';
    const message = `Log ${path} ${this.exists ? 'does not contain' : 'does not exist, and so does not contain'} ${JSON.stringify(contains)}${where}.${this.hint()}`;
    return { output: seen, asserts, ...issues, failure: new RecipeError('watch_logs.not_found', 'assertion', message) };
  }

  // Bytes as characters, so that a text cut in two by a read is still found; a line is read as UTF-8 once it is whole.
  private scan(chunk: string): boolean {
    const { wanted } = this;
    const text = this.seam + chunk;
    this.found ||= wanted !== '' && text.includes(wanted);
    this.seam = wanted.length > 1 ? text.slice(1 - wanted.length) : '';
    const lines = (this.line + chunk).split('\n');
    this.line = (lines.pop() ?? '').slice(0, 10_000);
    for (const line of lines) this.notice(line);
    return this.found;
  }

  private notice(line: string): void {
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
  return new RecipeError('file.outside_project', 'action', `${JSON.stringify(path)} leads out of the project.`);
}
