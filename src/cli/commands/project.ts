// Commands that look at the project, or change it.
import type { CAC } from 'cac';
import type { DoctorOptions } from '../doctor.js';
import type { InitOptions } from '../init/init.js';
import { json, library, setup } from './options.js';

export function addProject(cli: CAC): void {
  cli
    .command('doctor', 'Say whether recipes can run here, and if not, what to do about it')
    .option('--recipe <file>', 'Look at what this recipe needs, too')
    .option(...setup)
    .option(...library)
    .option('--project-root <dir>', 'The project; else the one around the recipe or the current directory')
    .option(...json)
    .example('recipewright doctor --recipe recipes/checkout.recipe.json')
    .action(async (options: DoctorOptions) => {
      const { doctor } = await import('../doctor.js');
      process.exitCode = await doctor(options);
    });

  cli
    .command('init', 'Make recipes tests of a Playwright or Vitest project: config, setup module, example, editor settings')
    .option('--host <name>', 'playwright or vitest; else the one that package.json has')
    .option('--project-root <dir>', 'The project; else the current directory')
    .option('--dry-run', 'Show what would change and write nothing')
    .option(...json)
    .example('recipewright init --dry-run')
    .action(async (options: InitOptions) => {
      const { init } = await import('../init/init.js');
      process.exitCode = await init(options);
    });
}
