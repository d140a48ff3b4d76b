// A process that continues to run after the node that started it, and its output.
import type { UnexpectedLog } from '../../evidence/issues.js';
import type { Capture } from '../../evidence/journal.js';
import { endWithParent } from '../../system/processes/endWithParent.js';
import { killTree } from '../../system/processes/killTree.js';
import {
  type CapturedOutput,
  captureOutput,
  createNotStarted,
  type ProcessRequest,
  type ProcessResult,
  runProcess,
} from '../../system/processes/runProcess.js';
import { createLogCapture } from '../capturedText.js';

/** The grace period of a service that is already being stopped when the run must end soon. */
const urgentGraceMs = 200;

export type ServiceRequest = Pick<ProcessRequest, 'command' | 'cwd' | 'env' | 'tag' | 'openMasker' | 'output'> & {
  name: string;
  /** The run path of the node that starts the service. */
  path: string;
  port?: number | undefined;
  /** Called when the service has ended. */
  releasePort?: (() => void) | undefined;
};

export class Service {
  readonly name: string;
  readonly path: string;
  readonly port: number | undefined;
  /** Set when the service is ready and has a port. */
  url: string | undefined;
  pid: number | undefined;
  /** Set when the service has ended. */
  result: ProcessResult | undefined;
  /** Whether the service ended before a call of `stop()`. */
  endedByItself = false;
  /** Whether the service has become ready, so that the node that started it has passed. */
  isReady = false;
  private isReported = false;
  private readonly tag: string;
  private readonly log = captureOutput();
  private readonly abort = new AbortController();
  private readonly completion: Promise<ProcessResult>;
  private readonly listeners = new Set<() => void>();

  constructor(request: ServiceRequest) {
    this.name = request.name;
    this.path = request.path;
    this.port = request.port;
    const { command, cwd, env, tag, openMasker } = request;
    this.tag = tag;
    this.completion = this.run({ command, cwd, env, tag, openMasker, signal: this.abort.signal }, request);
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
      this.result = createNotStarted(thrown instanceof Error ? thrown.message : String(thrown));
    } finally {
      endWatch();
      releasePort?.();
    }
    this.endedByItself = !this.abort.signal.aborted;
    this.notify();
    return this.result;
  }

  /** Ends the service and its child processes: SIGTERM, and SIGKILL after 5 s, or after 1 s when `isUrgent` is set. */
  async stop({ isUrgent = false } = {}): Promise<ProcessResult> {
    // An earlier call has already sent SIGTERM, so the grace period is shorter.
    if (isUrgent && this.abort.signal.aborted && !this.result && this.pid !== undefined)
      await killTree({ pid: this.pid, tag: this.tag }, urgentGraceMs);
    this.abort.abort(isUrgent ? 'the run ends' : new Error('the service was stopped'));
    return this.completion;
  }

  /** Resolves when the service writes output or ends, at the latest after `ms`. */
  async waitForChange(ms: number, after: (ms: number, then: () => void) => () => void): Promise<void> {
    await new Promise<void>((resolve) => {
      const settle = (): void => {
        cancelTimer();
        this.listeners.delete(settle);
        resolve();
      };
      const cancelTimer = after(ms, settle);
      this.listeners.add(settle);
    });
  }

  private notify(): void {
    for (const listener of [...this.listeners]) listener();
  }

  /** Both output streams in the order of arrival, with the secrets of the run masked. */
  get output(): CapturedOutput {
    return this.log.end();
  }

  /** The last lines of the output, for messages. */
  get lastLines(): string {
    return this.output.bytes.subarray(-8_000).toString().trimEnd().split('\n').slice(-20).join('\n').slice(-2_000);
  }

  /** The log for the package. Empty when the service wrote nothing. */
  get captures(): (Capture & { nodeId: string })[] {
    const { bytes } = this.output;
    if (bytes.length === 0) return [];
    return [{ ...createLogCapture(`${this.name}.log`, `Output of the service ${this.name}`, bytes), nodeId: this.path }];
  }

  /** Returns an issue if the service ended by itself during the run. Later calls return undefined. */
  takeIssue(): UnexpectedLog | undefined {
    if (!this.endedByItself || !this.isReady || this.isReported) return undefined;
    this.isReported = true;
    const { lastLines } = this;
    const message = `The service ${JSON.stringify(this.name)} ended by itself: ${describeEnd(this.result)}.${lastLines === '' ? '' : `\n${lastLines}`}`;
    return { level: this.result?.exitCode === 0 ? 'warning' : 'error', source: `service ${this.name}`, message };
  }
}

export function describeEnd(result: ProcessResult | undefined): string {
  if (!result) return 'it is still running';
  const { exitCode, signal, spawnError } = result;
  if (spawnError !== undefined) return `it could not be started: ${spawnError}`;
  return signal === null ? `it exited with ${exitCode}` : `it was ended by ${signal}`;
}
