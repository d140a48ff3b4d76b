// Runs in a worker, called by the module of a document: declares its tests and runs each recipe in one.
import { createRequire } from 'node:module';
import { basename, join } from 'node:path';
import { recordArtifact, type TestAPI, type TestContext } from 'vitest';
import type { Setup } from '../../actions/setup.js';
import type { Place } from '../../document/finding.js';
import { printFinding } from '../../document/printFinding.js';
import { readDocument } from '../../document/readDocument.js';
import { recipeId } from '../../run/recipeId.js';
import { filesBelow, kindOf, readBytesIfThere } from '../../system/files.js';
import { type RunResult, runRecipe } from '../plain/runRecipe.js';
import { attemptDir } from './runDir.js';
import { Steps } from './steps.js';
import { type DeclaredTest, testsIn } from './testsIn.js';
import { type Identity, type Meta, type PackageArtifact, wire } from './wire.js';

export type Declared = { declare(index: number, test: TestAPI): void };

export async function declareTests(file: string, { root }: { root: string }, setup: { default?: Setup }): Promise<Declared> {
  const { document } = readDocument(file, readBytesIfThere(file) ?? Buffer.alloc(0));
  const unread: DeclaredTest = {
    title: `${basename(file)} is a valid recipe`,
    tags: ['recipe'],
    place: { file, line: 1, column: 1 },
  };
  const tests = document ? testsIn(document) : [unread];
  return {
    declare(index, test) {
      const { title, tags } = tests[index] ?? unread;
      // Every node has a deadline of its own.
      test(title, { tags, timeout: 0 }, (context) => runInTest({ file, root, setup: setup.default }, context));
    },
  };
}

type Asked = { file: string; root: string; setup: Setup | undefined };

async function runInTest({ file, root, setup }: Asked, context: TestContext): Promise<void> {
  const { task, signal } = context;
  const attempt = task.result?.retryCount ?? 0;
  const identity: Identity = { id: recipeId(file, root), file };
  const meta = task.meta as Meta;
  meta.recipewright = identity;
  const artifactsDir = attemptDir(task.id, attempt);
  const steps = new Steps(context);
  const result = await runRecipe(file, {
    ...{ artifactsDir, projectRoot: root, attempt, signal, host: { name: 'vitest', version: versionIn(root) }, watch: steps },
    ...(setup ? { setup } : {}),
  });
  if (!result.ran) meta.recipewright = { ...identity, invalid: true };
  await send(context, artifactsDir, attempt);
  if (result.ran && result.verdict === 'pass') return;
  throw result.ran ? refuted(result, steps, file) : invalid(result);
}

function versionIn(root: string): string {
  return (createRequire(join(root, 'package.json'))('vitest/package.json') as { version: string }).version;
}

async function send({ task }: TestContext, dir: string, attempt: number): Promise<void> {
  const names = kindOf(dir) === 'directory' ? filesBelow(dir).filter((name) => !name.startsWith('.')) : [];
  const attachments = names.map((name) => ({ name: name.replaceAll('\\', '/'), path: join(dir, name) }));
  const artifact: PackageArtifact = { type: wire.package, attempt, attachments };
  await recordArtifact(task, artifact as never);
}

function refuted({ summary }: RunResult & { ran: true }, { shown, failed }: Steps, file: string): Error {
  const error = new Error(`The recipe's verdict is ${summary.status}: ${summary.reason}\n\n${shown.join('\n')}`);
  const [first] = failed;
  return pointAt(error, first?.place ?? { file, line: 1, column: 1 }, first?.subtitle ?? 'recipe');
}

function invalid({ findings, text }: RunResult): Error {
  const errors = findings.filter(({ severity }) => severity === 'error');
  const shown = errors.map((finding) => printFinding(finding, text));
  const error = new Error(`The recipe is not valid:\n\n${shown.join('\n\n')}\n`);
  return errors[0] ? pointAt(error, errors[0].place, 'recipe') : error;
}

// Vitest shows the first frame that lies in the project, and reads its line by the map of the module: there every line is its own.
function pointAt(error: Error, { file, line, column }: Place, name: string): Error {
  error.stack = `${error.name}: ${error.message}\n    at ${name.replace(/[()]/g, ' ')} (${file}:${line}:${column})`;
  return error;
}
