// The recorded recipes of the reference implementation, written to disk like the recorder had them.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { loadTemplateRecipe } from '../../../../src/formats/template/files/loadTemplateRecipe.js';
import { goldens } from './goldens.js';

export type RecipeCase = { id: string; file: string; source: string; v033: object };

export const recipeCases = goldens<RecipeCase>('recipe-cases.jsonl');

/** The recipes that are packaged with the reference implementation. `id` is the file name. */
export const packagedCases = goldens<{ id: string; recipe: object }>('packaged-compiled.jsonl');

/** The other files of the recorder, which the recorded recipes import. The corpus has only the recipes themselves. */
const recorderFiles: Readonly<Record<string, unknown>> = {
  'adhoc/base.json': {
    args: ['word:string', 'suffix:string'],
    defaults: { suffix: '!', profile: 'safe', nested: { level: 3 }, enabled: true, zero: 0, nul: null, list: ['x', 'y'] },
    template: 'printf {word}{suffix}',
  },
  'adhoc/seq.json': { timeout: 50, failure: 'branch', template: ['a {x}', 'b'] },
  'adhoc/dis.json': { disabled: true, template: 'echo dis' },
  'adhoc/shared.json': { template: 'echo sibling' },
  'adhoc/cy2.json': { imports: { a: 'cy1.json' }, template: 'b' },
  'agent/recipes/shared.json': { template: 'echo user' },
  'agent/recipes/u1.json': { template: 'echo user-u1' },
  'agent/recipes/brk.json': '{ broken',
  'adhoc/brk.json': { template: 'echo sibling' },
};

export function writeRecorderFiles(root: string): void {
  const write = (file: string, content: unknown): void => {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), typeof content === 'string' ? content : JSON.stringify(content));
  };
  for (const [file, content] of Object.entries(recorderFiles)) write(file, content);
  for (let n = 1; n <= 33; n++)
    write(`adhoc/d${n}.json`, { ...(n < 33 ? { imports: { n: `d${n + 1}.json` } } : {}), template: 'echo ok' });
  const body = (size: number): string => `{"template":"x"${' '.repeat(size - 16)}}`;
  for (const { file, source } of recipeCases) {
    const size = file.endsWith('big.json') ? 1_048_577 : 1_048_576;
    write(file.replace('$B/', ''), source === '(large)' ? body(size) : source);
  }
}

/** Returns the recorded result with the directory of the test instead of the recorder's. */
export function recordedIn(root: string, v033: object): Record<string, unknown> {
  const { id: _, ...expected } = JSON.parse(JSON.stringify(v033).replaceAll('$B', root)) as Record<string, unknown>;
  return expected;
}

export function loadCase(file: string, options: Parameters<typeof loadTemplateRecipe>[1]): object {
  try {
    const { recipe, diagnosis } = loadTemplateRecipe(file, options);
    return recipe ? { recipe } : { recipe: null, ...(diagnosis === undefined ? {} : { diagnosis }) };
  } catch (thrown) {
    return { throws: (thrown as Error).message };
  }
}
