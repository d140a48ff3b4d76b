// Options that several commands have.
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

const jsonOption = ['--json', 'Print one JSON document on stdout and nothing else'] as const;
const setupOption = [
  '--setup <module>',
  "The project's own actions, preconditions, operators and state refs; else what its config names",
] as const;
const projectRootOption = [
  '--project-root <dir>',
  'Where catalogs are read from; else the project that each file lies in',
] as const;
const libraryOption = ['--library <name=path>', 'A directory of recipes that others call; may be given more than once'] as const;

// Commands that run recipes: here, or in a process of their own.

const stateDirOption = [
  '--state-dir <dir>',
  'Where the run keeps its state; else .recipewright/runs/RUN of the project',
] as const;
const runProjectOption = ['--project-root <dir>', 'The project; else the one around the current directory'] as const;

export function addRunCommands(cli: CAC): void {
  cli
    .command('run', 'Run a recipe in this process and write its evidence package')
    .option('--recipe <file>', 'The recipe to run')
    .option('--artifacts-dir <dir>', 'A new or empty directory for the package')
    .option('--input <name=value>', 'A value for an input of the recipe; may be given more than once')
    .option(...libraryOption)
    .option(...setupOption)
    .option('--answer <node=pass|fail>', 'The answer to a manual node; may be given more than once')
    .option('--project-root <dir>', 'Where commands run and catalogs are read; else the project the recipe lies in')
    .option('--compat', 'Judge a template recipe as the reference of its format does; both verdicts stand in the summary')
    .option('--headed', 'Show the browser, and slow down as the recipe says')
    .option('--browser <name>', 'chromium, firefox, webkit, or the path of a Chromium, Chrome or Edge program')
    .option('--cdp-port <port>', 'Attach to an app that runs already with this debugging port; it is never closed')
    .option('--base-url <url>', 'What paths in ui.navigate are relative to')
    .option(...jsonOption)
    .example('recipewright run --recipe recipes/price-rules.recipe.json --artifacts-dir evidence --input shop=north')
    .action(async (options: Partial<RunCommandOptions>) => {
      const { run } = await import('./run.js');
      process.exitCode = await run(options);
    });

  cli
    .command('start [...files]', 'Run a recipe in a process of its own that outlives this one')
    .option('--run <id>', 'What the run is called; else what its recipe is')
    .option(...stateDirOption)
    .option('--input <name=value>', 'A value for an input of the recipe; may be given more than once')
    .option(...libraryOption)
    .option(...setupOption)
    .option('--answer <node=pass|fail>', 'The answer to a manual node; may be given more than once')
    .option(...projectRootOption)
    .option(...jsonOption)
    .example('recipewright start recipes/review.template.json --run nightly --input scope=docs')
    .action(async (files: readonly string[], options: StartCommandOptions) => {
      const { start } = await import('./start.js');
      process.exitCode = await start(files, options);
    });

  cli
    .command('status [...runs]', 'Say how a started run is; exit 0 only when it is over and has passed')
    .option('--wait', 'Wait for its end')
    .option(...stateDirOption)
    .option(...runProjectOption)
    .option(...jsonOption)
    .example('recipewright status nightly --wait')
    .action(async (runs: readonly string[], options: FindRunOptions & { wait?: unknown }) => {
      const { status } = await import('./status.js');
      process.exitCode = await status(runs, options);
    });

  cli
    .command('cancel [...runs]', 'End a started run with everything that it started')
    .option(...stateDirOption)
    .option(...runProjectOption)
    .option(...jsonOption)
    .example('recipewright cancel nightly')
    .action(async (runs: readonly string[], options: FindRunOptions) => {
      const { cancel } = await import('./cancel.js');
      process.exitCode = await cancel(runs, options);
    });

  cli
    .command('logs [...runs]', 'Print what the commands of a started run wrote')
    .option('--events', 'Print its event log instead: commands, messages, how it ended')
    .option(...stateDirOption)
    .option(...runProjectOption)
    .option(...jsonOption)
    .example('recipewright logs nightly --events')
    .action(async (runs: readonly string[], options: FindRunOptions & { events?: unknown }) => {
      const { logs } = await import('./logs.js');
      process.exitCode = logs(runs, options);
    });
}

// Commands that look at documents and run nothing.

const actionManifestOption = ['--action-manifest <file>', 'Hold the recipes to the actions a runner declares'] as const;

export function addDocumentCommands(cli: CAC): void {
  cli
    .command('validate [...files]', 'Check recipes, flow catalogs or an evidence package without running anything')
    .option('--production', 'Ask for what a proof for others needs')
    .option(
      '--level <compat|strict>',
      'Hold runtime recipes to what their models accept (compat), or to all that their document says',
    )
    .option(...setupOption)
    .option(...actionManifestOption)
    .option(...libraryOption)
    .option(...projectRootOption)
    .option('--artifact-dir <dir>', 'Check the evidence package in this directory')
    .option(...jsonOption)
    .example('recipewright validate recipes "checks/**/*.recipe.json"')
    .action(async (files: readonly string[], options: ValidateOptions) => {
      const { validate } = await import('./validate.js');
      process.exitCode = await validate(files, options);
    });

  cli
    .command('compile [...files]', 'Print the Recipe v1 document that would run, with everything it uses inlined')
    .option('--out <file>', 'Write it to this file')
    .option('--write-hash', 'Write the integrity hash of a runtime recipe into the file itself')
    .option(...setupOption)
    .option(...actionManifestOption)
    .option(...libraryOption)
    .option(...projectRootOption)
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
    .command('manifest', 'Print the actions that can be executed here')
    .option(...setupOption)
    .option('--project-root <dir>', 'The project; else the one around the current directory')
    .option(...jsonOption)
    .example('recipewright manifest --json > action-manifest.json')
    .action(async (options: ManifestOptions) => {
      const { manifest: print } = await import('./manifest.js');
      process.exitCode = await print(options);
    });
}

// Commands for those who read the evidence.

export function addEvidenceCommands(cli: CAC): void {
  cli
    .command('verify [...dirs]', 'Say whether an evidence package, or a suite of them, is intact and what it proves')
    .option('--recipe <file>', 'The recipe that is to have run')
    .option('--git-ref <ref>', 'The commit, branch or tag that it is to have run on, in a clean work tree')
    .option('--statement <file>', 'Write an in-toto statement over an intact package to this file, ready to be signed')
    .option(...libraryOption)
    .option(...projectRootOption)
    .option(...jsonOption)
    .example('recipewright verify evidence --recipe recipes/price-rules.recipe.json')
    .action(async (dirs: readonly string[], options: VerifyOptions) => {
      const { verify } = await import('./verify.js');
      process.exitCode = await verify(dirs, options);
    });

  cli
    .command('graph [...files]', 'Draw the graph of a recipe, with the way a run took through it')
    .option('--package <dir>', 'The evidence package of a run of it: what passed, failed, was skipped or never reached')
    .option('--format <name>', 'svg, png (needs Playwright and a Chromium) or mermaid; svg unless it is said')
    .option(
      '--calls <open|folded>',
      'Draw the flows that are called below (open), or only the calls (folded); open unless it is said',
    )
    .option('--out <file>', 'Write it to this file instead of stdout')
    .option(...setupOption)
    .option(...libraryOption)
    .option(...projectRootOption)
    .option(...jsonOption)
    .example('recipewright graph recipes/checkout.recipe.json --package evidence --out checkout.svg')
    .action(async (files: readonly string[], options: GraphOptions) => {
      const { graph } = await import('./graph.js');
      process.exitCode = await graph(files, options);
    });

  cli
    .command('compare [...dirs]', 'Say what changed between two evidence packages or suites; exit 1 when a claim got worse')
    .option('--markdown', 'As Markdown, fit for a comment on a pull request')
    .option('--html <file>', 'Write a page to this file, with the pictures that changed and where they did')
    .option(...jsonOption)
    .example('recipewright compare evidence-main evidence-branch --markdown')
    .action(async (dirs: readonly string[], options: CompareOptions) => {
      const { compare } = await import('./compare.js');
      process.exitCode = compare(dirs, options);
    });

  cli
    .command('review [...dirs]', 'Serve the review of a package or a suite to a browser on this machine')
    .option('--watch', 'Follow a run that goes on: the page looks again when its journal has grown')
    .option('--no-open', 'Do not open a browser; BROWSER names another one than that of the system')
    .option(...jsonOption)
    .example('recipewright review recipe-results')
    .action(async (dirs: readonly string[], options: ReviewOptions) => {
      const { review } = await import('./review.js');
      process.exitCode = await review(dirs, options);
    });
}

// Commands that look at the project, or change it.

export function addProjectCommands(cli: CAC): void {
  cli
    .command('doctor', 'Say whether recipes can run here, and if not, what to do about it')
    .option('--recipe <file>', 'Look at what this recipe needs, too')
    .option(...setupOption)
    .option(...libraryOption)
    .option('--project-root <dir>', 'The project; else the one around the recipe or the current directory')
    .option(...jsonOption)
    .example('recipewright doctor --recipe recipes/checkout.recipe.json')
    .action(async (options: DoctorOptions) => {
      const { doctor } = await import('./doctor.js');
      process.exitCode = await doctor(options);
    });

  cli
    .command('init', 'Make recipes tests of a Playwright or Vitest project: config, setup module, example, editor settings')
    .option('--host <name>', 'playwright or vitest; else the one that package.json has')
    .option('--project-root <dir>', 'The project; else the current directory')
    .option('--dry-run', 'Show what would change and write nothing')
    .option(...jsonOption)
    .example('recipewright init --dry-run')
    .action(async (options: InitOptions) => {
      const { init } = await import('./init/init.js');
      process.exitCode = await init(options);
    });
}
