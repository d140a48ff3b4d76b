// Creates real packages that a test can damage, each in its own directory.
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import type { Finding } from '../../../src/document/finding.js';
import { checkPackage } from '../../../src/evidence/checkPackage.js';
import { runRecipe } from '../../../src/hosts/plain/runRecipe.js';
import { recipeOf } from '../../support/plain.js';

export type Json = Record<string, unknown>;
export type Entries = Json[];

export const command = (cmd: string, rest: Json = {}): Json => ({
  action: 'command',
  intent: 'Ask the shop',
  cmd,
  next: 'done',
  ...rest,
});
export const done = { action: 'end', status: 'pass' };

export function directory(): string {
  const dir = mkdtempSync(join(tmpdir(), 'recipewright-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

/** Runs a recipe with a setup, a call, and a failed attempt with its recovery. Returns the directory of the package. */
async function runOnce(root: string): Promise<string> {
  const flow = { workflow: { entry: 'ask', nodes: { ask: command('echo hello'), done } }, description: 'Asks.' };
  const nodes = {
    first: { action: 'call', ref: 'shop.ask', next: 'flaky' },
    flaky: command('test -e ready', { rw: { retry: { max: 2, recover: command('touch ready') } } }),
  };
  const recipe = recipeOf(nodes, { flows: { 'shop.ask': flow }, workflow: { setup: [{ ...command('true'), next: undefined }] } });
  writeFileSync(join(root, 'a.recipe.json'), JSON.stringify(recipe));
  const result = await runRecipe(join(root, 'a.recipe.json'), { artifactsDir: join(root, 'out'), projectRoot: root });
  if (!result.ran) throw new Error(JSON.stringify(result.findings));
  return join(root, 'out');
}

const origin = mkdtempSync(join(tmpdir(), 'recipewright-'));
let once: Promise<string> | undefined;
// Test files that share a process also share this package.
process.once('exit', () => rmSync(origin, { recursive: true, force: true }));

export async function realPackage(): Promise<string> {
  const dir = directory();
  once ??= runOnce(origin);
  cpSync(await once, dir, { recursive: true });
  return dir;
}

export const jsonIn = (dir: string, name: string) => JSON.parse(readFileSync(join(dir, name), 'utf8'));
export const write = (dir: string, name: string, json: unknown): void =>
  writeFileSync(join(dir, name), JSON.stringify(json, null, 2));

/** Makes a package look like one of another runner: without a journal, so that changes cannot be detected. */
export function makeForeign(dir: string, changes: Json = {}): void {
  rmSync(join(dir, 'journal.jsonl'));
  write(dir, 'summary.json', { ...jsonIn(dir, 'summary.json'), harness: { name: 'another', version: '1' }, ...changes });
}

export const formatFindings = (findings: readonly Finding[]): string[] =>
  findings.map(({ code, severity, path }) => `${severity} ${code} ${path}`.trim());

/** Changes one file of a real package, and returns the findings. */
export async function findingsAfter<T = Json>(name: string, change: (json: T) => unknown): Promise<string[]> {
  const dir = await realPackage();
  write(dir, name, change(jsonIn(dir, name)));
  const findings = checkPackage(dir);
  for (const finding of findings) expect(finding.hint ?? finding.message).toMatch(/\S/);
  expect(new Set(findings.map(({ place }) => place.file)).size).toBeLessThanOrEqual(1);
  return formatFindings(findings);
}
