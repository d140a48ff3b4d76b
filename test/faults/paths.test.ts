// Paths that lead out of the project: no file outside is read into a package, and no file is written there.
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type ArtifactsDir, takeArtifactsDir } from '../../src/hosts/plain/artifactsDir.js';
import { type RunResult, runRecipe } from '../../src/hosts/plain/runRecipe.js';
import { listTree } from '../../src/system/files/listTree.js';
import { runCount, timeoutMs } from '../property/runCount.js';
import { ownAction } from '../support/ownSetup.js';
import { type Nodes, recipeOf } from '../support/plain.js';
import { folder } from './mounts.js';
import { swapWithLink } from './swapWithLink.js';

const canary = 'canary-of-elsewhere';

type Place = { root: string; project: string; elsewhere: string; out: string };

/** Creates a project, and beside it a directory that no run may read or change. */
function place(): Place {
  const root = folder();
  const [project, elsewhere] = [join(root, 'project'), join(root, 'elsewhere')];
  mkdirSync(join(project, 'sub'), { recursive: true });
  mkdirSync(elsewhere);
  writeFileSync(join(elsewhere, 'secret.txt'), canary);
  symlinkSync('../elsewhere/secret.txt', join(project, 'link.txt'));
  symlinkSync('../elsewhere', join(project, 'linked'));
  symlinkSync('../..', join(project, 'sub/up'));
  symlinkSync('../elsewhere/new.txt', join(project, 'dangling.txt'));
  return { root, project, elsewhere, out: join(project, 'out') };
}

const runIn = ({ project, out }: Place, nodes: Nodes, rest: object = {}): Promise<RunResult> =>
  runRecipe(recipeOf(nodes), { artifactsDir: out, projectRoot: project, ...rest });

function expectUntouched({ elsewhere }: Place): void {
  expect(readdirSync(elsewhere)).toEqual(['secret.txt']);
  expect(readFileSync(join(elsewhere, 'secret.txt'), 'utf8')).toBe(canary);
}

/** The files of a package that contain the canary from outside the project. */
function leaksIn(dir: string): string[] {
  const files = existsSync(dir) ? listTree(dir).filter(({ kind }) => kind === 'file') : [];
  return files.map(({ path }) => path).filter((path) => readFileSync(join(dir, path)).includes(canary));
}

/** The spellings of paths out of the project, for a file and for a directory. */
const spellings: readonly (readonly [spelling: string, path: (place: Place) => string, dir: (place: Place) => string])[] = [
  ['a path upwards', () => '../elsewhere/secret.txt', () => '../elsewhere'],
  ['a path that goes down first', () => 'sub/../../elsewhere/secret.txt', () => 'sub/../../elsewhere'],
  ['an absolute path', ({ elsewhere }) => join(elsewhere, 'secret.txt'), ({ elsewhere }) => elsewhere],
  ['a drive letter', () => 'C:\\elsewhere\\secret.txt', () => 'C:\\elsewhere'],
  ['a drive without a root', () => 'C:secret.txt', () => 'C:elsewhere'],
  ['a share', () => '\\\\host\\elsewhere\\secret.txt', () => '\\\\host\\elsewhere'],
  ['backslashes upwards', () => '..\\elsewhere\\secret.txt', () => '..\\elsewhere'],
  ['a null byte', () => 'link.txt\0', () => 'linked\0'],
  ['a link to a file', () => 'link.txt', () => 'link.txt'],
  ['a link to a directory', () => 'linked/secret.txt', () => 'linked'],
  ['a link to a parent', () => 'sub/up/elsewhere/secret.txt', () => 'sub/up/elsewhere'],
  ['a dangling link', () => 'dangling.txt', () => 'dangling.txt'],
];

describe('what a node reads', () => {
  test.for(spellings)(
    'F21 a node cannot read a file outside the project by %s',
    { timeout: timeoutMs },
    async ([, path, dir]) => {
      const nodes: Record<string, (place: Place) => Record<string, unknown>> = {
        index_artifacts: (at) => ({ action: 'index_artifacts', artifacts: [path(at)] }),
        'index_artifacts as an object': (at) => ({ action: 'index_artifacts', artifacts: [{ path: path(at), label: 'x' }] }),
        assert_file: (at) => ({ action: 'assert_file', path: path(at), contains: canary }),
        watch_logs: (at) => ({ action: 'watch_logs', path: path(at), contains: canary, scope: 'file', timeout_ms: 600 }),
        command: (at) => ({ action: 'command', cmd: 'cat secret.txt', cwd: dir(at) }),
      };
      for (const [name, node] of Object.entries(nodes)) {
        const at = place();
        const result = await runIn(at, { first: { ...node(at), next: 'done' } });
        expect([name, result.exitCode]).toEqual([name, result.ran ? 1 : 2]);
        if (result.ran) expect([name, result.summary.status]).toEqual([name, 'fail']);
        // These files contain the canary when the recipe itself contains it.
        const recordFiles = [
          'recipe.json',
          'workflow.json',
          'source.json',
          'trace.json',
          'journal.jsonl',
          'summary.json',
          'issues.json',
        ];
        const filesWithRecipe = [...recordFiles, 'review.html'];
        const leaks = leaksIn(at.out).filter((file) => !(node(at).contains === canary && filesWithRecipe.includes(file)));
        expect([name, leaks]).toEqual([name, []]);
        expectUntouched(at);
      }
    },
  );
});

describe('the artifacts of a node', () => {
  const setupWithArtifact = (path: string) => ({
    setup: { actions: [ownAction('shop.keep', () => ({ artifacts: [{ path, type: 'other', body: Buffer.from('kept') }] }))] },
  });
  const keep = { action: 'shop.keep', next: 'done' };

  test.for([
    ...['../x', 'a/../../x', '/tmp/x', 'C:\\x', 'C:x', '\\\\host\\x', '..\\x', 'a\0b', '', '.', 'a/..'],
    ...['summary.json', 'SUMMARY.JSON', './trace.json', 'Journal.jsonl', 'source.JSON', '.recipewright', '.Recipewright-Reserve'],
  ])('F21 an artifact cannot have the path %j', async (path) => {
    const at = place();
    const before = listTree(at.root).map((entry) => entry.path);
    const result = await runIn(at, { first: keep }, setupWithArtifact(path));
    expect(result).toMatchObject({ ran: true, summary: { status: 'unknown' } });
    expect(result.exitCode).not.toBe(0);
    const after = listTree(at.root).filter(({ path: name }) => !name.startsWith('project/out'));
    expect(after.map((entry) => entry.path)).toEqual(before);
    const saved = listTree(at.out).filter(
      (entry) => entry.kind === 'file' && readFileSync(join(at.out, entry.path), 'utf8') === 'kept',
    );
    expect(saved).toEqual([]);
    expectUntouched(at);
  });

  test.for([
    ['a link in place of its directory', 'ln -s ../../elsewhere out/logs', 'logs/x.txt'],
    ['a link in place of the file', 'mkdir out/logs; ln -s ../../../elsewhere/secret.txt out/logs/x.txt', 'logs/x.txt'],
    ['a dangling link in place of the file', 'mkdir out/logs; ln -s ../../../elsewhere/new.txt out/logs/x.txt', 'logs/x.txt'],
    ['a link further up', 'mkdir out/a; ln -s ../../../elsewhere out/a/b', 'a/b/c/x.txt'],
    ['a file in place of its directory', 'touch out/logs', 'logs/x.txt'],
  ])('F21 an artifact is not written through %s', async ([, plant = '', path = '']) => {
    const at = place();
    const nodes = { plant: { action: 'command', cmd: plant, next: 'keep' }, keep };
    const result = await runIn(at, nodes, setupWithArtifact(path));
    expect(result).toMatchObject({ ran: true, exitCode: 3, summary: { status: 'unknown', cause_class: 'environment' } });
    const { reason = '' } = result.ran ? result.summary : {};
    expect(reason).toContain(`${join(at.out, path)} could not be written: `);
    expect(reason).toMatch(/there is (already )?a (file or a )?(directory with this name|link)/);
    expectUntouched(at);
  });

  test.for(['trace.json', 'summary.json', 'artifact-manifest.json', 'recipe.json'])(
    'F21 a run replaces a link in place of %s and does not change the target of the link',
    async (name) => {
      const at = place();
      const result = await runIn(at, {
        plant: { action: 'command', cmd: `ln -sf ../../elsewhere/secret.txt out/${name}`, next: 'done' },
      });
      expect(result).toMatchObject({ ran: true, exitCode: 0, summary: { status: 'pass' } });
      expect(listTree(at.out).find(({ path }) => path === name)?.kind).toBe('file');
      expectUntouched(at);
    },
  );

  test('F21 a run ends when a command replaces its package directory by a link, and writes nothing there', async () => {
    const at = place();
    const swap = 'mv out moved; ln -s ../elsewhere out';
    const result = await runIn(
      at,
      { swap: { action: 'command', cmd: swap, next: 'keep' }, keep },
      setupWithArtifact('logs/x.txt'),
    );
    expect(result).toMatchObject({ ran: false, exitCode: 3, findings: [{ code: 'run.directory_replaced' }] });
    expect(readFileSync(join(at.project, 'moved/logs/x.txt'), 'utf8')).toBe('kept');
    expectUntouched(at);
  });
});

describe.skipIf(process.platform !== 'linux')(
  'a link that is swapped in (skipped where a path cannot go through a handle)',
  () => {
    const races = runCount(300).numRuns ?? 300;

    const take = ({ out }: Place): ArtifactsDir => {
      const dir = takeArtifactsDir(out);
      if ('refused' in dir) throw new Error(dir.refused.message);
      onTestFinished(() => dir.release());
      return dir;
    };

    test.for(['out/logs', 'out'])(
      'F21 a link that replaces %s while artifacts are written receives no data',
      { timeout: timeoutMs },
      async (name) => {
        const at = place();
        const dir = take(at);
        dir.writeEvidence('logs/first.txt', Buffer.from('kept'));
        await swapWithLink({ dir: join(at.project, name), link: at.elsewhere, aside: join(at.root, 'aside-') });
        const seen = { kept: 0, refused: 0 };
        const isDone = (): boolean => seen.kept > 0 && (name === 'out' || seen.refused > 0);
        for (let race = 0; race < races || !isDone(); race++) {
          try {
            dir.writeEvidence(`logs/${race}.txt`, Buffer.from('kept'));
            seen.kept++;
          } catch (thrown) {
            expect(String(thrown)).toMatch(/could not be written: (there is a file or a link|the path is a link)/);
            seen.refused++;
          }
        }
        expectUntouched(at);
        if (name === 'out') expect(seen.refused).toBe(0);
      },
    );
  },
);
