// Commands that run recipes: here, or in a process of their own.
import type { CAC } from 'cac';
import type { OneRunOptions } from '../oneRun.js';
import type { RunCommand } from '../run.js';
import type { StartCommand } from '../start.js';
import { json, library, projectRoot, setup } from './options.js';

const stateDir = ['--state-dir <dir>', 'Where the run keeps its state; else .recipewright/runs/RUN of the project'] as const;
const runsOf = ['--project-root <dir>', 'The project; else the one around the current directory'] as const;

export function addRunning(cli: CAC): void {
  cli
    .command('run', 'Run a recipe in this process and write its evidence package')
    .option('--recipe <file>', 'The recipe to run')
    .option('--artifacts-dir <dir>', 'A new or empty directory for the package')
    .option('--input <name=value>', 'A value for an input of the recipe; may be given more than once')
    .option(...library)
    .option(...setup)
    .option('--answer <node=pass|fail>', 'The answer to a manual node; may be given more than once')
    .option('--project-root <dir>', 'Where commands run and catalogs are read; else the project the recipe lies in')
    .option('--compat', 'Judge a template recipe as the reference of its format does; both verdicts stand in the summary')
    .option('--headed', 'Show the browser, and slow down as the recipe says')
    .option('--browser <name>', 'chromium, firefox, webkit, or the path of a Chromium, Chrome or Edge program')
    .option('--cdp-port <port>', 'Attach to an app that runs already with this debugging port; it is never closed')
    .option('--base-url <url>', 'What paths in ui.navigate are relative to')
    .option(...json)
    .example('recipewright run --recipe recipes/price-rules.recipe.json --artifacts-dir evidence --input shop=north')
    .action(async (options: Partial<RunCommand>) => {
      const { run } = await import('../run.js');
      process.exitCode = await run(options);
    });

  cli
    .command('start [...files]', 'Run a recipe in a process of its own that outlives this one')
    .option('--run <id>', 'What the run is called; else what its recipe is')
    .option(...stateDir)
    .option('--input <name=value>', 'A value for an input of the recipe; may be given more than once')
    .option(...library)
    .option(...setup)
    .option('--answer <node=pass|fail>', 'The answer to a manual node; may be given more than once')
    .option(...projectRoot)
    .option(...json)
    .example('recipewright start recipes/review.template.json --run nightly --input scope=docs')
    .action(async (files: readonly string[], options: StartCommand) => {
      const { start } = await import('../start.js');
      process.exitCode = await start(files, options);
    });

  cli
    .command('status [...runs]', 'Say how a started run is; exit 0 only when it is over and has passed')
    .option('--wait', 'Wait for its end')
    .option(...stateDir)
    .option(...runsOf)
    .option(...json)
    .example('recipewright status nightly --wait')
    .action(async (runs: readonly string[], options: OneRunOptions & { wait?: unknown }) => {
      const { status } = await import('../status.js');
      process.exitCode = await status(runs, options);
    });

  cli
    .command('cancel [...runs]', 'End a started run with everything that it started')
    .option(...stateDir)
    .option(...runsOf)
    .option(...json)
    .example('recipewright cancel nightly')
    .action(async (runs: readonly string[], options: OneRunOptions) => {
      const { cancel } = await import('../cancel.js');
      process.exitCode = await cancel(runs, options);
    });

  cli
    .command('logs [...runs]', 'Print what the commands of a started run wrote')
    .option('--events', 'Print its event log instead: commands, messages, how it ended')
    .option(...stateDir)
    .option(...runsOf)
    .option(...json)
    .example('recipewright logs nightly --events')
    .action(async (runs: readonly string[], options: OneRunOptions & { events?: unknown }) => {
      const { logs } = await import('../logs.js');
      process.exitCode = logs(runs, options);
    });
}
