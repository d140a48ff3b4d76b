#!/usr/bin/env node
// The command line. Exit codes follow the failure table; stdout holds the answer, stderr everything else.
import { cac } from 'cac';
import { exitCodes } from '../evidence/failure.js';
import { tool } from '../run/tool.js';
import { asTexts, asWritten } from './asWritten.js';
import type { CompareOptions } from './compare.js';
import type { CompileOptions } from './compile.js';
import type { DoctorOptions } from './doctor.js';
import type { GraphOptions } from './graph.js';
import type { InitOptions } from './init/init.js';
import type { ManifestOptions } from './manifest.js';
import { leaveQuietly } from './output.js';
import { keepStdout, refuseEarlyEnd } from './refuseEarlyEnd.js';
import type { ReviewOptions } from './review.js';
import type { RunCommand } from './run.js';
import { explain, UsageError } from './usage.js';
import type { ValidateOptions } from './validate.js';
import type { VerifyOptions } from './verify.js';

const cli = cac('recipewright');
const json = ['--json', 'Print one JSON document on stdout and nothing else'] as const;
const manifest = ['--action-manifest <file>', 'Hold the recipes to the actions a runner declares'] as const;
const setup = [
  '--setup <module>',
  "The project's own actions, preconditions, operators and state refs; else what its config names",
] as const;
const projectRoot = ['--project-root <dir>', 'Where catalogs are read from; else the project that each file lies in'] as const;
const library = ['--library <name=path>', 'A directory of recipes that others call; may be given more than once'] as const;

cli
  .command('run', 'Run a recipe in this process and write its evidence package')
  .option('--recipe <file>', 'The recipe to run')
  .option('--artifacts-dir <dir>', 'A new or empty directory for the package')
  .option('--input <name=value>', 'A value for an input of the recipe; may be given more than once')
  .option(...library)
  .option(...setup)
  .option('--answer <node=pass|fail>', 'The answer to a manual node; may be given more than once')
  .option('--project-root <dir>', 'Where commands run and catalogs are read; else the project the recipe lies in')
  .option('--headed', 'Show the browser, and slow down as the recipe says')
  .option('--browser <name>', 'chromium, firefox, webkit, or the path of a Chromium, Chrome or Edge program')
  .option('--cdp-port <port>', 'Attach to an app that runs already with this debugging port; it is never closed')
  .option('--base-url <url>', 'What paths in ui.navigate are relative to')
  .option(...json)
  .example('recipewright run --recipe recipes/price-rules.recipe.json --artifacts-dir evidence --input shop=north')
  .action(async (options: Partial<RunCommand>) => {
    const { run } = await import('./run.js');
    process.exitCode = await run(options);
  });

cli
  .command('validate [...files]', 'Check recipes, flow catalogs or an evidence package without running anything')
  .option('--production', 'Ask for what a proof for others needs')
  .option(
    '--level <compat|strict>',
    'Hold runtime recipes to what their models accept (compat), or to all that their document says',
  )
  .option(...setup)
  .option(...manifest)
  .option(...library)
  .option(...projectRoot)
  .option('--artifact-dir <dir>', 'Check the evidence package in this directory')
  .option(...json)
  .example('recipewright validate recipes "checks/**/*.recipe.json"')
  .action(async (files: readonly string[], options: ValidateOptions) => {
    const { validate } = await import('./validate.js');
    process.exitCode = await validate(files, options);
  });

cli
  .command('compile [...files]', 'Print the Recipe v1 document that would run, with everything it uses inlined')
  .option('--out <file>', 'Write it to this file')
  .option('--write-hash', 'Write the integrity hash of a runtime recipe into the file itself')
  .option(...setup)
  .option(...manifest)
  .option(...library)
  .option(...projectRoot)
  .option(...json)
  .example('recipewright compile recipes/checkout.recipe.json --out checkout.compiled.json')
  .action(async (files: readonly string[], options: CompileOptions) => {
    const { compile } = await import('./compile.js');
    process.exitCode = await compile(files, options);
  });

cli
  .command('schema [...names]', 'Print a JSON Schema, or the names of all of them')
  .option(...json)
  .example('recipewright schema recipe-v1 > recipe-v1.schema.json')
  .action(async (names: readonly string[], options: { json?: unknown }) => {
    const { schema } = await import('./schema.js');
    process.exitCode = schema(names, options);
  });

cli
  .command('manifest', 'Print the actions that can be executed here')
  .option(...setup)
  .option('--project-root <dir>', 'The project; else the one around the current directory')
  .option(...json)
  .example('recipewright manifest --json > action-manifest.json')
  .action(async (options: ManifestOptions) => {
    const { manifest: print } = await import('./manifest.js');
    process.exitCode = await print(options);
  });

cli
  .command('doctor', 'Say whether recipes can run here, and if not, what to do about it')
  .option('--recipe <file>', 'Look at what this recipe needs, too')
  .option(...setup)
  .option(...library)
  .option('--project-root <dir>', 'The project; else the one around the recipe or the current directory')
  .option(...json)
  .example('recipewright doctor --recipe recipes/checkout.recipe.json')
  .action(async (options: DoctorOptions) => {
    const { doctor } = await import('./doctor.js');
    process.exitCode = await doctor(options);
  });

cli
  .command('verify [...dirs]', 'Say whether an evidence package is intact and what it proves')
  .option('--recipe <file>', 'The recipe that is to have run')
  .option('--git-ref <ref>', 'The commit that it is to have run on')
  .option('--statement <file>', 'Write an in-toto statement over an intact package to this file, ready to be signed')
  .option(...library)
  .option(...projectRoot)
  .option(...json)
  .example('recipewright verify evidence --recipe recipes/price-rules.recipe.json')
  .action(async (dirs: readonly string[], options: VerifyOptions) => {
    const { verify } = await import('./verify.js');
    process.exitCode = await verify(dirs, options);
  });

cli
  .command('graph [...files]', 'Draw the graph of a recipe, with the way a run took through it')
  .option('--package <dir>', 'The evidence package of a run of it: what passed, failed, was skipped or never reached')
  .option('--format <name>', 'svg, png (needs Playwright and a Chromium) or mermaid; svg unless it is said')
  .option('--out <file>', 'Write it to this file instead of stdout')
  .option(...setup)
  .option(...library)
  .option(...projectRoot)
  .option(...json)
  .example('recipewright graph recipes/checkout.recipe.json --package evidence --out checkout.svg')
  .action(async (files: readonly string[], options: GraphOptions) => {
    const { graphOrWhyNot } = await import('./graph.js');
    process.exitCode = await graphOrWhyNot(files, options);
  });

cli
  .command('compare [...dirs]', 'Say what changed between two evidence packages or suites; exit 1 when a claim got worse')
  .option('--markdown', 'As Markdown, fit for a comment on a pull request')
  .option('--html <file>', 'Write a page to this file, with the pictures that changed and where they did')
  .option(...json)
  .example('recipewright compare evidence-main evidence-branch --markdown')
  .action(async (dirs: readonly string[], options: CompareOptions) => {
    const { compare } = await import('./compare.js');
    process.exitCode = compare(dirs, options);
  });

cli
  .command('review [...dirs]', 'Serve the review of a package or a suite to a browser on this machine')
  .option('--watch', 'Follow a run that goes on: the page looks again when its journal has grown')
  .option('--no-open', 'Do not open a browser; BROWSER names another one than that of the system')
  .option(...json)
  .example('recipewright review recipe-results')
  .action(async (dirs: readonly string[], options: ReviewOptions) => {
    const { review } = await import('./review.js');
    process.exitCode = await review(dirs, options);
  });

cli
  .command('init', 'Make recipes tests of a Playwright or Vitest project: config, setup module, example, editor settings')
  .option('--host <name>', 'playwright or vitest; else the one that package.json has')
  .option('--project-root <dir>', 'The project; else the current directory')
  .option('--dry-run', 'Show what would change and write nothing')
  .option(...json)
  .example('recipewright init --dry-run')
  .action(async (options: InitOptions) => {
    const { init } = await import('./init/init.js');
    process.exitCode = init(options);
  });

cli.help();
cli.version(tool.version);
leaveQuietly();
const finish = refuseEarlyEnd();

try {
  Object.assign(cli, asWritten(cli.parse(asTexts(process.argv), { run: false })));
  if (!cli.matchedCommand && !cli.options.help && !cli.options.version) {
    const given = cli.args[0];
    throw new UsageError(given === undefined ? 'Say what to do.' : `There is no command ${JSON.stringify(given)}.`);
  }
  if (cli.options.json) keepStdout();
  await cli.runMatchedCommand();
} catch (thrown) {
  process.exitCode = explain(thrown);
}
if (process.exitCode === exitCodes.environment && cli.matchedCommand?.name === 'run') await tellFixes(cli.options);
finish();
// A timer or socket that a module of the project left open keeps nobody waiting, and cannot change what was said.
// An answer that could not be written is told, and ends us, by the stream itself.
process.stdout.write('', (unsaid) => {
  if (!unsaid) process.stderr.write('', () => process.exit());
});

/** Whatever goes wrong in here, the exit code stays that of the run. */
async function tellFixes(options: Partial<RunCommand>): Promise<void> {
  const doctor = await import('./doctor.js');
  await doctor.tellFixes(options).catch(explain);
}
