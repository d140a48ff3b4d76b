// One process that goes on after the node that started it, with its output.
import type { UnexpectedLog } from '../../evidence/issues.js';
import type { Capture } from '../../evidence/journal.js';
import { endWithParent } from '../../system/processes/endWithParent.js';
import { killTree } from '../../system/processes/killTree.js';
import {
  type CapturedOutput,
  captureOutput,
  emptyOutput,
  type ProcessRequest,
  type ProcessResult,
  runProcess,
} from '../../system/processes/runProcess.js';
import { createLogCapture } from '../capturedText.js';

const hurriedMs = 200;

export type ServiceRequest = Pick<ProcessRequest, 'command' | 'cwd' | 'env' | 'tag' | 'redact' | 'output'> & {
  name: string;
  /** The run path of the node that starts it. */
  path: string;
  port?: number | undefined;
  /** Called when the service has ended. */
  releasePort?: (() => void) | undefined;
};

export class Service {
  readonly name: string;
  readonly path: string;
  readonly port: number | undefined;
  /** Where it is reached, once it is ready and if it has a port. */
  url: string | undefined;
  pid: number | undefined;
  /** How it ended. */
  result: ProcessResult | undefined;
  /** It ended before anybody asked it to. */
  endedByItself = false;
  /** The node that started it has ended, and the service was ready. */
  isReady = false;
  private isReported = false;
  private readonly tag: string;
  private readonly log = captureOutput();
  private readonly abort = new AbortController();
  private readonly ended: Promise<ProcessResult>;
  private readonly listeners = new Set<() => void>();

  constructor(request: ServiceRequest) {
    this.name = request.name;
    this.path = request.path;
    this.port = request.port;
    const { command, cwd, env, tag, redact } = request;
    this.tag = tag;
    this.ended = this.run({ command, cwd, env, tag, redact, signal: this.abort.signal }, request);
  }

  private async run(process: ProcessRequest, { output, releasePort }: ServiceRequest): Promise<ProcessResult> {
    let endWatch = (): void => undefined;
    try {
      this.result = await runProcess({
        ...process,
        onStart: (pid) => {
          this.pid = pid;
          endWatch = endWithParent({ pid, tag: process.tag });
        },
        output: (stream, chunk) => {
          this.log.write(chunk);
          output?.(stream, chunk);
          this.notify();
        },
      });
    } catch (thrown) {
      this.result = notStarted(thrown);
    } finally {
      endWatch();
      releasePort?.();
    }
    this.endedByItself = !this.abort.signal.aborted;
    this.notify();
    return this.result;
  }

  /** Ends it and everything that it started: SIGTERM, and SIGKILL after 5 s, or after 1 s when somebody waits for the end of the run. */
  async stop({ hurries = false } = {}): Promise<ProcessResult> {
    // It was told to end before, and had its time.
    if (hurries && this.abort.signal.aborted && !this.result && this.pid !== undefined)
      await killTree({ pid: this.pid, tag: this.tag }, hurriedMs);
    this.abort.abort(hurries ? 'the run ends' : new Error('the service was stopped'));
    return this.ended;
  }

  /** Resolves when it writes or ends, at the latest after `ms`. */
  async nextChange(ms: number, after: (ms: number, then: () => void) => () => void): Promise<void> {
    await new Promise<void>((resolve) => {
      const settle = (): void => {
        withdraw();
        this.listeners.delete(settle);
        resolve();
      };
      const withdraw = after(ms, settle);
      this.listeners.add(settle);
    });
  }

  private notify(): void {
    for (const listener of [...this.listeners]) listener();
  }

  /** Both of its streams as they came, without the secrets of the run. */
  get output(): CapturedOutput {
    return this.log.end();
  }

  /** The last lines of its output, for messages. */
  get lastLines(): string {
    return this.output.bytes.subarray(-8_000).toString().trimEnd().split('\n').slice(-20).join('\n').slice(-2_000);
  }

  /** Its log for the package; none of a service that wrote nothing. */
  get captures(): (Capture & { nodeId: string })[] {
    const { bytes } = this.output;
    if (bytes.length === 0) return [];
    return [{ ...createLogCapture(`${this.name}.log`, `Output of the service ${this.name}`, bytes), nodeId: this.path }];
  }

  /** That it ended by itself while the run went on; given once. */
  takeIssue(): UnexpectedLog | undefined {
    if (!this.endedByItself || !this.isReady || this.isReported) return undefined;
    this.isReported = true;
    const { lastLines } = this;
    const message = `The service ${JSON.stringify(this.name)} ended by itself: ${describeEnd(this.result)}.${lastLines === '' ? '' : `\n${lastLines}`}`;
    return { level: this.result?.exitCode === 0 ? 'warning' : 'error', source: `service ${this.name}`, message };
  }
}

function notStarted(thrown: unknown): ProcessResult {
  const spawnError = thrown instanceof Error ? thrown.message : String(thrown);
  return { exitCode: null, signal: null, spawnError, survivors: [], stdout: emptyOutput(), stderr: emptyOutput() };
}

export function describeEnd(result: ProcessResult | undefined): string {
  if (!result) return 'it runs';
  const { exitCode, signal, spawnError } = result;
  if (spawnError !== undefined) return `it could not be started: ${spawnError}`;
  return signal === null ? `it exited with ${exitCode}` : `it was ended by ${signal}`;
}
