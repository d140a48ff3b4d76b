// Declares all commands and their options. Each action imports its command when it runs, to keep the start quick.
import type { CAC } from 'cac';
import type { CompareOptions } from './compare.js';
import type { CompileOptions } from './compile.js';
import type { DoctorOptions } from './doctor.js';
import type { FindRunOptions } from './findRun.js';
import type { GraphOptions } from './graph.js';
import type { InitOptions } from './init/init.js';
import type { ManifestOptions } from './manifest.js';
import type { ReviewOptions } from './review.js';
import type { RunCommandOptions } from './run.js';
import type { StartCommandOptions } from './start.js';
import type { ValidateOptions } from './validate.js';
import type { VerifyOptions } from './verify.js';

const jsonOption = ['--json', 'Print one JSON document to stdout and nothing else'] as const;
const setupOption = [
  '--setup <module>',
  "Module with the project's own actions, preconditions, operators and state refs (default: the module in the config of the project)",
] as const;
const libraryOption = ['--library <name=path>', 'Directory of recipes that other recipes call; can be repeated'] as const;
const inputOption = ['--input <name=value>', 'Value of an input of the recipe; can be repeated'] as const;
const answerOption = ['--answer <node=pass|fail>', 'Answer to a manual node; can be repeated'] as const;
const stateDirOption = [
  '--state-dir <dir>',
  'Directory for the state of the run (default: .recipewright/runs/RUN in the project)',
] as const;
const fileProjectOption = [
  '--project-root <dir>',
  'Directory to read catalogs from (default: the project of each file)',
] as const;
const cwdProjectOption = ['--project-root <dir>', 'The project (default: the project of the current directory)'] as const;
const actionManifestOption = [
  '--action-manifest <file>',
  'Check the recipes against the actions that a runner declares',
] as const;

/** Adds the commands that run recipes, in this process or in a separate one. */
export function addRunCommands(cli: CAC): void {
  cli
    .command('run', 'Run a recipe in this process and write its evidence package')
    .option('--recipe <file>', 'The recipe to run')
    .option('--artifacts-dir <dir>', 'A new or empty directory for the package')
    .option(...inputOption)
    .option(...libraryOption)
    .option(...setupOption)
    .option(...answerOption)
    .option('--project-root <dir>', 'Directory to run commands in and to read catalogs from (default: the project of the recipe)')
    .option('--compat', 'Use the verdict of the reference implementation of the template format; the summary has both verdicts')
    .option('--headed', 'Show the browser, and slow down as the recipe says')
    .option('--browser <name>', 'chromium, firefox, webkit, or the path of a Chromium, Chrome or Edge program')
    .option('--cdp-port <port>', 'Attach to a running app by its debugging port; the app is never closed')
    .option('--base-url <url>', 'Base URL for the paths in ui.navigate')
    .option(...jsonOption)
    .example('recipewright run --recipe recipes/price-rules.recipe.json --artifacts-dir evidence --input shop=north')
    .action(async (options: Partial<RunCommandOptions>) => {
      const { run } = await import('./run.js');
      process.exitCode = await run(options);
    });

  cli
    .command('start [...files]', 'Run a recipe in a process that outlives this one')
    .option('--run <id>', 'Id of the run (default: the id of its recipe)')
    .option(...stateDirOption)
    .option(...inputOption)
    .option(...libraryOption)
    .option(...setupOption)
    .option(...answerOption)
    .option(...fileProjectOption)
    .option(...jsonOption)
    .example('recipewright start recipes/review.template.json --run nightly --input scope=docs')
    .action(async (files: readonly string[], options: StartCommandOptions) => {
      const { start } = await import('./start.js');
      process.exitCode = await start(files, options);
    });

  cli
    .command(
      'status [...runs]',
      'Print the state of a run of "recipewright start"; exit 0 only when the run has ended and passed',
    )
    .option('--wait', 'Wait until the run has ended')
    .option(...stateDirOption)
    .option(...cwdProjectOption)
    .option(...jsonOption)
    .example('recipewright status nightly --wait')
    .action(async (runs: readonly string[], options: FindRunOptions & { wait?: unknown }) => {
      const { status } = await import('./status.js');
      process.exitCode = await status(runs, options);
    });

  cli
    .command('cancel [...runs]', 'End a run of "recipewright start" and every process that the run started')
    .option(...stateDirOption)
    .option(...cwdProjectOption)
    .option(...jsonOption)
    .example('recipewright cancel nightly')
    .action(async (runs: readonly string[], options: FindRunOptions) => {
      const { cancel } = await import('./cancel.js');
      process.exitCode = await cancel(runs, options);
    });

  cli
    .command('logs [...runs]', 'Print the output of the commands in a run of "recipewright start"')
    .option('--events', 'Print the event log of the run instead')
    .option(...stateDirOption)
    .option(...cwdProjectOption)
    .option(...jsonOption)
    .example('recipewright logs nightly --events')
    .action(async (runs: readonly string[], options: FindRunOptions & { events?: unknown }) => {
      const { logs } = await import('./logs.js');
      process.exitCode = logs(runs, options);
    });
}

/** Adds the commands that read documents and run nothing. */
export function addDocumentCommands(cli: CAC): void {
  cli
    .command('validate [...files]', 'Check recipes, flow catalogs or an evidence package without running anything')
    .option('--production', 'Apply the stricter rules for evidence that others rely on')
    .option(
      '--level <compat|strict>',
      'How to check runtime recipes: as their reference models do (compat), or by every rule of their format (strict)',
    )
    .option(...setupOption)
    .option(...actionManifestOption)
    .option(...libraryOption)
    .option(...fileProjectOption)
    .option('--artifact-dir <dir>', 'Check the evidence package in this directory')
    .option(...jsonOption)
    .example('recipewright validate recipes "checks/**/*.recipe.json"')
    .action(async (files: readonly string[], options: ValidateOptions) => {
      const { validate } = await import('./validate.js');
      process.exitCode = await validate(files, options);
    });

  cli
    .command('compile [...files]', 'Print the Recipe v1 document that would run, with everything it uses inlined')
    .option('--out <file>', 'Write the document to this file instead of stdout')
    .option('--write-hash', 'Write the integrity hash of a runtime recipe into the file itself')
    .option(...setupOption)
    .option(...actionManifestOption)
    .option(...libraryOption)
    .option(...fileProjectOption)
    .option(...jsonOption)
    .example('recipewright compile recipes/checkout.recipe.json --out checkout.compiled.json')
    .action(async (files: readonly string[], options: CompileOptions) => {
      const { compile } = await import('./compile.js');
      process.exitCode = await compile(files, options);
    });

  cli
    .command('schema [...names]', 'Print a JSON Schema, or the names of all of them')
    .option(...jsonOption)
    .example('recipewright schema recipe-v1 > recipe-v1.schema.json')
    .action(async (names: readonly string[], options: { json?: unknown }) => {
      const { schema } = await import('./schema.js');
      process.exitCode = schema(names, options);
    });

  cli
    .command('manifest', 'Print the actions that this project can execute')
    .option(...setupOption)
    .option(...cwdProjectOption)
    .option(...jsonOption)
    .example('recipewright manifest --json > action-manifest.json')
    .action(async (options: ManifestOptions) => {
      const { manifest: print } = await import('./manifest.js');
      process.exitCode = await print(options);
    });
}

/** Adds the commands that read recipes together with their evidence. */
export function addEvidenceCommands(cli: CAC): void {
  cli
    .command('verify [...dirs]', 'Check whether an evidence package, or a suite of them, is intact and what it proves')
    .option('--recipe <file>', 'The recipe that must have run')
    .option('--git-ref <ref>', 'The commit, branch or tag that the recipe must have run on, in a clean work tree')
    .option('--statement <file>', 'Write an in-toto statement about an intact package to this file, ready to be signed')
    .option(...libraryOption)
    .option(...fileProjectOption)
    .option(...jsonOption)
    .example('recipewright verify evidence --recipe recipes/price-rules.recipe.json')
    .action(async (dirs: readonly string[], options: VerifyOptions) => {
      const { verify } = await import('./verify.js');
      process.exitCode = await verify(dirs, options);
    });

  cli
    .command('graph [...files]', 'Draw the graph of a recipe, with the path that a run took through it')
    .option('--package <dir>', 'Evidence package of a run: marks nodes as passed, failed, skipped or not reached')
    .option('--format <name>', 'svg, png (needs Playwright and a Chromium) or mermaid (default: svg)')
    .option(
      '--calls <open|folded>',
      'Draw the flows that are called below the graph (open), or only the calls (folded) (default: open)',
    )
    .option('--out <file>', 'Write the picture to this file instead of stdout')
    .option(...setupOption)
    .option(...libraryOption)
    .option(...fileProjectOption)
    .option(...jsonOption)
    .example('recipewright graph recipes/checkout.recipe.json --package evidence --out checkout.svg')
    .action(async (files: readonly string[], options: GraphOptions) => {
      const { graph } = await import('./graph.js');
      process.exitCode = await graph(files, options);
    });

  cli
    .command('compare [...dirs]', 'Print what changed between two evidence packages or suites; exit 1 when a claim got worse')
    .option('--markdown', 'Print Markdown, for a comment on a pull request')
    .option('--html <file>', 'Write the comparison to this file as a page that also shows changed pictures')
    .option(...jsonOption)
    .example('recipewright compare evidence-main evidence-branch --markdown')
    .action(async (dirs: readonly string[], options: CompareOptions) => {
      const { compare } = await import('./compare.js');
      process.exitCode = compare(dirs, options);
    });

  cli
    .command('review [...dirs]', 'Serve the review of a package or a suite to a browser on this machine')
    .option('--watch', 'Follow a run in progress: the page updates when the journal grows')
    .option('--no-open', 'Do not open a browser (the environment variable BROWSER chooses which one opens)')
    .option(...jsonOption)
    .example('recipewright review recipe-results')
    .action(async (dirs: readonly string[], options: ReviewOptions) => {
      const { review } = await import('./review.js');
      process.exitCode = await review(dirs, options);
    });
}

/** Adds the commands that check or change the project itself. */
export function addProjectCommands(cli: CAC): void {
  cli
    .command('doctor', 'Check whether recipes can run here, and if not, how to fix it')
    .option('--recipe <file>', 'Also check what this recipe needs')
    .option(...setupOption)
    .option(...libraryOption)
    .option('--project-root <dir>', 'The project (default: the project of the recipe or of the current directory)')
    .option(...jsonOption)
    .example('recipewright doctor --recipe recipes/checkout.recipe.json')
    .action(async (options: DoctorOptions) => {
      const { doctor } = await import('./doctor.js');
      process.exitCode = await doctor(options);
    });

  cli
    .command('init', 'Set up a Playwright or Vitest project for recipes: config, setup module, example, editor settings')
    .option('--host <name>', 'playwright or vitest (default: the one in package.json)')
    .option('--project-root <dir>', 'The project (default: the current directory)')
    .option('--dry-run', 'Show what would change and write nothing')
    .option(...jsonOption)
    .example('recipewright init --dry-run')
    .action(async (options: InitOptions) => {
      const { init } = await import('./init/init.js');
      process.exitCode = await init(options);
    });
}
