// Runs a flow-spec file with the plain host, in its own browser, and checks the package.
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import { runRecipe } from '../../src/hosts/plain/runRecipe.js';
import { cliProject } from '../support/cli.js';
import { filesBelow } from '../support/packages.js';

const site = createServer((request, response) => {
  const html =
    request.url === '/in'
      ? `<h1>Inside</h1><script>fetch('https://api.segment.io/v1/t', { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"event":"Signed In","writeKey":"w"}' }); fetch('/metrics?what=came_in')</script>`
      : '<form action="/in"><label>Password <input type="password"></label><button>Sign in</button></form>';
  response.writeHead(200, { 'content-type': 'text/html' }).end(html);
});
await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
site.unref();
afterAll(() => void site.close());
const { port } = site.address() as AddressInfo;
const origin = `http://127.0.0.1:${port}`;

const flow = {
  ...{ spec_version: '1', name: 'Sign in', url: origin },
  steps: [
    { type: 'act', action: 'fill', target: 'the password field', value: '{{FLOW_PASSWORD}}' },
    { type: 'act', action: 'click', target: 'the login button' },
    { type: 'expect', kind: 'text_contains', value: 'inside' },
    { type: 'expect', kind: 'beacon', vendor: 'segment', event: 'signed in' },
    { type: 'expect', kind: 'beacon', vendor: 'house', event: 'came_in' },
  ],
  assertions: [{ kind: 'no_console_errors', severity: 'critical' }],
};
const modules = fileURLToPath(new URL('../../node_modules', import.meta.url));

function project(allowed: string): string {
  const { dir } = cliProject({ 'package.json': {}, 'a.flowspec.json': flow });
  symlinkSync(modules, join(dir, 'node_modules'));
  mkdirSync(join(dir, 'home'));
  const flowSpecs = { allowPrivateHosts: [allowed], vendors: [{ vendor: 'house', match: ['/metrics\\?'], event: ['what'] }] };
  writeFileSync(join(dir, 'recipewright.config.mjs'), `export default ${JSON.stringify({ flowSpecs })};\n`);
  return dir;
}

const run = (dir: string, env: Record<string, string>) =>
  runRecipe(join(dir, 'a.flowspec.json'), { artifactsDir: join(dir, 'out'), env: { ...process.env, ...env } });

describe('a flow-spec with the plain host', () => {
  test('a flow-spec run stores its findings and beacons in the package, and its secret in no file', async () => {
    const dir = project(`127.0.0.1:${port}`);
    const password = 'pa55-w0rd-of-the-flow';
    const result = await run(dir, { FLOW_PASSWORD: password });
    // There is no warning, because the checks know the vendor from the config.
    expect(result.findings).toEqual([]);
    expect(result).toMatchObject({ ran: true, exitCode: 0, verdict: 'pass' });
    const files = filesBelow(join(dir, 'out'));
    expect(files).toEqual(expect.arrayContaining(['beacons.json', 'findings.json', 'recipe.json', 'summary.json', 'trace.json']));
    const findings = JSON.parse(readFileSync(join(dir, 'out/findings.json'), 'utf8'));
    expect(findings).toMatchObject({ run: { status: 'completed' }, findings: [] });
    for (const file of files) expect(readFileSync(join(dir, 'out', file)).includes(password), file).toBe(false);
  });

  test('a flow-spec without its secret is refused before the browser starts', async () => {
    const dir = project(`127.0.0.1:${port}`);
    const result = await run(dir, {});
    expect(result).toMatchObject({ ran: false, exitCode: 3 });
    expect(result.findings).toMatchObject([{ code: 'inputs.missing_secret', path: '/inputs/FLOW_PASSWORD' }]);
    expect(result.findings[0]?.message).toBe(
      'The secret "FLOW_PASSWORD" has no value: env:FLOW_PASSWORD is missing or empty. A credential of the flow-spec. Without it the run fails with credential_rejected.',
    );
  });

  test('a flow-spec opens a private host only when the project allows it', async () => {
    const dir = project('localhost');
    const result = await run(dir, { FLOW_PASSWORD: 'pa55-w0rd-of-the-flow' });
    expect(result).toMatchObject({ ran: true, exitCode: 1, verdict: 'fail' });
    const { run: flowRun } = JSON.parse(readFileSync(join(dir, 'out/findings.json'), 'utf8'));
    expect(flowRun).toMatchObject({ status: 'failed', step: 'begin', failure_class: 'spec_step_unresolvable' });
    expect(flowRun.message).toContain(
      '127.0.0.1 is a private address. The project can allow it with "allowPrivateHosts"; a document cannot',
    );
  });
});
