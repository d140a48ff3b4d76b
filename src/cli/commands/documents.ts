// Commands that look at documents and run nothing.
import type { CAC } from 'cac';
import type { CompileOptions } from '../compile.js';
import type { ManifestOptions } from '../manifest.js';
import type { ValidateOptions } from '../validate.js';
import { json, library, projectRoot, setup } from './options.js';

const manifest = ['--action-manifest <file>', 'Hold the recipes to the actions a runner declares'] as const;

export function addDocuments(cli: CAC): void {
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
      const { validate } = await import('../validate.js');
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
      const { compile } = await import('../compile.js');
      process.exitCode = await compile(files, options);
    });

  cli
    .command('schema [...names]', 'Print a JSON Schema, or the names of all of them')
    .option(...json)
    .example('recipewright schema recipe-v1 > recipe-v1.schema.json')
    .action(async (names: readonly string[], options: { json?: unknown }) => {
      const { schema } = await import('../schema.js');
      process.exitCode = schema(names, options);
    });

  cli
    .command('manifest', 'Print the actions that can be executed here')
    .option(...setup)
    .option('--project-root <dir>', 'The project; else the one around the current directory')
    .option(...json)
    .example('recipewright manifest --json > action-manifest.json')
    .action(async (options: ManifestOptions) => {
      const { manifest: print } = await import('../manifest.js');
      process.exitCode = await print(options);
    });
}
