// Starts Playwright's test server for coding agents with the real command line, and talks to it over MCP on its standard streams.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { playwrightCli, playwrightEnv } from './runPlaywright.js';

export type TestMcpServer = {
  /** Runs the tests at these locations and returns the output for the agent. */
  runTests(locations?: readonly string[]): Promise<string>;
  close(): Promise<void>;
};

type Answer = { id?: number; result?: { content?: { text: string }[] }; error?: object };

export async function openTestMcpServer(cwd: string, env: Record<string, string> = {}): Promise<TestMcpServer> {
  const child = spawn(process.execPath, [playwrightCli, 'run-test-mcp-server', '--headless'], {
    cwd,
    env: { ...playwrightEnv(), ...env },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const pending = new Map<number, (answer: Answer) => void>();
  createInterface(child.stdout).on('line', (line) => {
    const answer = JSON.parse(line) as Answer;
    if (answer.id !== undefined) pending.get(answer.id)?.(answer);
  });
  const send = (message: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  let count = 0;
  const ask = async (method: string, params: object): Promise<Answer> => {
    const id = ++count;
    const answer = new Promise<Answer>((resolve) => pending.set(id, resolve));
    send({ id, method, params });
    return Promise.race([answer, closed.then(() => Promise.reject(new Error(`The server ended before it answered ${method}.`)))]);
  };
  await ask('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } });
  send({ method: 'notifications/initialized' });
  return {
    async runTests(locations = []) {
      const answer = await ask('tools/call', { name: 'test_run', arguments: { locations } });
      if (!answer.result) throw new Error(`test_run was refused: ${JSON.stringify(answer.error)}`);
      return (answer.result.content ?? []).map(({ text }) => text).join('\n');
    },
    async close() {
      child.stdin.end();
      child.kill('SIGTERM');
      await closed;
    },
  };
}
