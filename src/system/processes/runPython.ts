// Runs Python code in a separate process, with JSON as input and output, and with limits on memory, CPU time and file size.
import { type ProcessRequest, type ProcessResult, runProcess } from './runProcess.js';

export type PythonTask = { values: object } & ({ do: 'run'; code: string } | { do: 'call'; name: string; root: string });

export type PythonBounds = Pick<ProcessRequest, 'cwd' | 'env' | 'signal' | 'tag' | 'openMasker'> & {
  program?: string | undefined;
  memoryMb?: number | undefined;
  /** The time limit. `signal` ends the code, and a limit on CPU time ends it if this process has ended. */
  ms: number;
};

/** `environment`: Python itself does not work. `failure`: the code failed. */
export type PythonAnswer =
  | { result: unknown; state: Readonly<Record<string, unknown>> }
  | { environment: string }
  | { failure: string };

const defaultMemoryMb = 512;

export async function runPython(
  task: PythonTask,
  { program = 'python3', memoryMb = defaultMemoryMb, ms, ...bounds }: PythonBounds,
): Promise<PythonAnswer> {
  const stdin = Buffer.from(
    JSON.stringify({ ...task, memory: memoryMb * 1_000_000, seconds: Math.min(86_400, Math.ceil(ms / 1_000)) }),
  );
  // -I: neither the environment nor the working directory changes the imported modules.
  const result = await runProcess({ command: [program, '-I', '-B', '-c', bootstrap], stdin, ...bounds });
  if (result.spawnError !== undefined) return { environment: `Python could not be started: ${result.spawnError}` };
  return parseAnswer(result, program);
}

function parseAnswer(result: ProcessResult, program: string): PythonAnswer {
  const { exitCode, signal, stdout, stderr } = result;
  const stderrTail = stderr.bytes.toString().trimEnd().slice(-1_000);
  if (signal !== null) return { failure: `${signal} ended the Python code.${formatStderr(stderrTail)}` };
  if (exitCode === 126 || exitCode === 127)
    return {
      environment: `${JSON.stringify(program)} cannot run Python (exit ${exitCode}). Install python3, or configure another program.${formatStderr(stderrTail)}`,
    };
  const answer = tryParseObject(stdout.bytes.toString());
  if (stdout.wasTruncated || answer === undefined || exitCode !== 0)
    return {
      failure: `The Python code exited with code ${exitCode} and returned no readable answer.${formatStderr(stderrTail)}`,
    };
  return 'error' in answer ? { failure: `The Python code failed: ${String(answer.error)}` } : (answer as PythonAnswer);
}

function formatStderr(stderrTail: string): string {
  return stderrTail === '' ? '' : `\n${stderrTail}`;
}

function tryParseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value = JSON.parse(text) as unknown;
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    // SyntaxError: the output is something else, or empty.
    return undefined;
  }
}

// Output of the code goes to stderr, so that stdout has only the answer.
const bootstrap = `
import json, os, sys
answer = os.fdopen(os.dup(1), 'w', encoding='utf-8')
os.dup2(2, 1)
task = json.loads(sys.stdin.buffer.read().decode('utf-8'))
try:
    import resource
    busy = task['seconds'] * (os.cpu_count() or 1)
    for name, most in (('RLIMIT_AS', task['memory']), ('RLIMIT_CPU', busy), ('RLIMIT_FSIZE', 10000000), ('RLIMIT_CORE', 0)):
        try:
            resource.setrlimit(getattr(resource, name), (most, most))
        except (ValueError, OSError):
            pass
except ImportError:
    pass

def read_result(scope, values):
    if scope.get('result') is not None:
        return scope['result']
    defined = [item for name, item in scope.items() if callable(item) and getattr(item, '__module__', None) == '__logic__']
    entries = [item for item in defined if getattr(item, '__name__', '') in ('main', 'run')]
    candidates = entries or defined
    if len(candidates) != 1:
        return None
    code = getattr(candidates[0], '__code__', None)
    if code is not None and code.co_argcount == 0:
        return candidates[0]()
    return candidates[0](values)

def work():
    values = task['values']
    state = values.get('state', {})
    merged = {**values.get('parameters', {}), **values.get('inputs', {}), **values.get('nodes', {}), **state}
    if task['do'] == 'call':
        import importlib
        sys.path.insert(0, task['root'])
        module, _, name = task['name'].rpartition('.')
        return {'result': getattr(importlib.import_module(module), name)(merged), 'state': state}
    scope = {'__name__': '__logic__', **values, 'outputs': values.get('nodes', {}), 'result': None}
    exec(compile(task['code'], '<logic>', 'exec'), scope)
    return {'result': read_result(scope, merged), 'state': scope.get('state', state)}

try:
    text = json.dumps(work(), allow_nan=False)
except BaseException as error:
    import traceback
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == '<logic>']
    where = ' (line %d)' % lines[-1] if lines else ''
    text = json.dumps({'error': '%s: %s%s' % (type(error).__name__, str(error)[:2000], where)})
answer.write(text)
answer.flush()
os._exit(0)
`;
