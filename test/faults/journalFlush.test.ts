// Synchronous actions: each journal line of their nodes is on disk before the run continues.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { readJournal } from '../../src/evidence/journal.js';
import { verifyPackage } from '../../src/verify/verifyPackage.js';
import { timeoutMs as timeout } from '../property/runCount.js';
import { cliProject } from '../support/cli.js';
import { recipeOf } from '../support/plain.js';
import { canMount, smallDisk } from './mounts.js';

const library = fileURLToPath(new URL('../../dist/index.js', import.meta.url));
const setup = (run: string): string => `
  import { defineAction, defineSetup, z } from ${JSON.stringify(library)};
  const action = (name, run) =>
    defineAction({ name, description: name, schema: z.looseObject({}), examples: [], effect: 'reads', fallible: () => true, run });
  export default defineSetup({ actions: [action('shop.look', () => ({ output: { price: 5 } })), action('shop.end', () => { ${run} })] });
`;
const look = (next: string) => ({ action: 'shop.look', next });
const linesIn = (out: string) => readJournal(readFileSync(join(out, 'journal.jsonl'), 'utf8').trimEnd().split('\n'));
const run = (out: string) => ['run', '--recipe', 'a.recipe.json', '--artifacts-dir', out, '--setup', 'setup.mjs'];

test.for(['process.kill(process.pid, "SIGKILL")', 'process.abort()', 'process.exit(0)'])(
  'F24 after a synchronous action calls %s, only its node has no end line',
  async (death) => {
    const recipe = recipeOf({ one: look('two'), two: look('three'), three: { action: 'shop.end', next: 'done' } });
    const project = cliProject({ 'a.recipe.json': recipe, 'setup.mjs': setup(death) });
    await project.run(...run('out'));
    const out = join(project.dir, 'out');
    const { lines, problem } = linesIn(out);
    expect(problem).toBeUndefined();
    expect(lines.map(({ t, path }) => `${t} ${path}`)).toEqual([
      'run ',
      ...['begin one', 'end one', 'begin two', 'end two', 'begin three'],
    ]);
    expect(verifyPackage(out)).toMatchObject({ verdict: 'unknown', reason: 'interrupted at three' });
  },
);

test.skipIf(!canMount)(
  'F28 a run with synchronous actions stops on a full disk after a complete journal line (skipped where nothing can be mounted)',
  { timeout },
  async () => {
    const names = Array.from({ length: 3_000 }, (_, at) => `n${at}`);
    const nodes = Object.fromEntries(names.map((name, at) => [name, look(names[at + 1] ?? 'done')]));
    const project = cliProject({ 'a.recipe.json': recipeOf(nodes), 'setup.mjs': setup('') });
    const out = join(smallDisk('900k'), 'out');
    const { exitCode, stderr } = await project.run(...run(out));
    expect([exitCode, stderr.includes('bug of its own')]).toEqual([3, false]);
    const { lines, problem } = linesIn(out);
    expect(problem).toBeUndefined();
    expect(lines.length).toBeGreaterThan(1_000);
    expect(lines.at(-1)).toMatchObject({ t: 'end', path: '', status: 'unknown', error: { code: 'run.journal_not_written' } });
    // One line did not fit: the begin line of a node that did not run, or the end line of the last node that ran.
    const ofNodes = lines.slice(1, -1).map(({ t, path }) => `${t} ${path}`);
    const expected = names.flatMap((name) => [`begin ${name}`, `end ${name}`]);
    expect(ofNodes).toEqual(expected.slice(0, ofNodes.length));
    expect(verifyPackage(out)).toMatchObject({ verdict: 'unknown' });
  },
);
