// Runs a recipe in a browser window that is already open: npm start, then SHOP_URL=http://… npm run attach
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import path from 'node:path';
import { chromium } from '@playwright/test';
import { localChromium } from 'recipewright/playwright';

const port = Number(process.env.CDP_PORT ?? 9300 + (process.pid % 500));
const evidence = process.argv[2] ?? 'recipe-results/attached';

// Takes the place of your app: a browser or an Electron app that was started with a debugging port and keeps running afterwards.
const app = await chromium.launchPersistentContext('', {
  ...localChromium().launchOptions,
  args: [`--remote-debugging-port=${port}`],
});
const [window] = app.pages();
await window.goto(process.env.SHOP_URL);

// The same in a shell: npx recipewright run --recipe … --artifacts-dir … --cdp-port …
const program = path.join(path.dirname(createRequire(import.meta.url).resolve('recipewright/package.json')), 'dist/cli.js');
const args = ['run', '--recipe', 'attach/open-window.recipe.json', '--artifacts-dir', evidence, '--cdp-port', String(port)];
const { status } = spawnSync(process.execPath, [program, ...args], { stdio: 'inherit' });

console.log(`The window is ${window.isClosed() ? 'closed' : 'still open'}: ${await window.title()}.`);
await app.close();
process.exitCode = status ?? 1;
