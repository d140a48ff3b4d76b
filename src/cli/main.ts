#!/usr/bin/env node
// The command line. Exit codes follow the failure table; stdout holds the answer, stderr everything else.
import { cac } from 'cac';
import { tool } from '../run/tool.js';
import { explain, UsageError } from './usage.js';

const cli = cac('recipewright');

cli
  .command('run', 'Run a recipe in this process and write its evidence package')
  .option('--recipe <file>', 'The recipe to run')
  .option('--artifacts-dir <dir>', 'A new or empty directory for the package')
  .option('--json', 'Print one JSON document on stdout and nothing else')
  .example('recipewright run --recipe recipes/price-rules.recipe.json --artifacts-dir evidence')
  .action(async (options: { recipe?: unknown; artifactsDir?: unknown; json?: unknown }) => {
    const { run } = await import('./run.js');
    process.exitCode = await run(options);
  });

cli.help();
cli.version(tool.version);

try {
  cli.parse(process.argv, { run: false });
  if (!cli.matchedCommand && !cli.options.help && !cli.options.version) {
    const given = cli.args[0];
    throw new UsageError(given === undefined ? 'Say what to do.' : `There is no command "${given}".`);
  }
  await cli.runMatchedCommand();
} catch (thrown) {
  process.exitCode = explain(thrown);
}
