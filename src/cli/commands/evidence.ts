// Commands for those who read the evidence.
import type { CAC } from 'cac';
import type { CompareOptions } from '../compare.js';
import type { GraphOptions } from '../graph.js';
import type { ReviewOptions } from '../review.js';
import type { VerifyOptions } from '../verify.js';
import { json, library, projectRoot, setup } from './options.js';

export function addEvidence(cli: CAC): void {
  cli
    .command('verify [...dirs]', 'Say whether an evidence package, or a suite of them, is intact and what it proves')
    .option('--recipe <file>', 'The recipe that is to have run')
    .option('--git-ref <ref>', 'The commit, branch or tag that it is to have run on, in a clean work tree')
    .option('--statement <file>', 'Write an in-toto statement over an intact package to this file, ready to be signed')
    .option(...library)
    .option(...projectRoot)
    .option(...json)
    .example('recipewright verify evidence --recipe recipes/price-rules.recipe.json')
    .action(async (dirs: readonly string[], options: VerifyOptions) => {
      const { verify } = await import('../verify.js');
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
    .option(...setup)
    .option(...library)
    .option(...projectRoot)
    .option(...json)
    .example('recipewright graph recipes/checkout.recipe.json --package evidence --out checkout.svg')
    .action(async (files: readonly string[], options: GraphOptions) => {
      const { graphOrWhyNot } = await import('../graph.js');
      process.exitCode = await graphOrWhyNot(files, options);
    });

  cli
    .command('compare [...dirs]', 'Say what changed between two evidence packages or suites; exit 1 when a claim got worse')
    .option('--markdown', 'As Markdown, fit for a comment on a pull request')
    .option('--html <file>', 'Write a page to this file, with the pictures that changed and where they did')
    .option(...json)
    .example('recipewright compare evidence-main evidence-branch --markdown')
    .action(async (dirs: readonly string[], options: CompareOptions) => {
      const { compare } = await import('../compare.js');
      process.exitCode = compare(dirs, options);
    });

  cli
    .command('review [...dirs]', 'Serve the review of a package or a suite to a browser on this machine')
    .option('--watch', 'Follow a run that goes on: the page looks again when its journal has grown')
    .option('--no-open', 'Do not open a browser; BROWSER names another one than that of the system')
    .option(...json)
    .example('recipewright review recipe-results')
    .action(async (dirs: readonly string[], options: ReviewOptions) => {
      const { review } = await import('../review.js');
      process.exitCode = await review(dirs, options);
    });
}
