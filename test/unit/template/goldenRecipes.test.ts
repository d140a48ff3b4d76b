// Recipes in JSON and Markdown, loaded case by case as the reference loads them.
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadTemplateRecipe } from '../../../src/actions/template/loadTemplateRecipe.js';
import { corpus, goldens } from './goldens.js';

type Case = { id: string; file: string; source: string; v033: object };
type Packaged = { id: string; recipe: object };

const cases = goldens<Case>('recipe-cases.jsonl');
const packaged = goldens<Packaged>('packaged-compiled.jsonl');

/** What the recorder had around its cases; the corpus keeps only the cases themselves. */
const around: Readonly<Record<string, unknown>> = {
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

describe.skipIf(!corpus.isThere)(`the recorded recipes of the reference${corpus.isThere ? '' : ` (${corpus.why})`}`, () => {
  let root: string;
  const write = (file: string, content: unknown): void => {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), typeof content === 'string' ? content : JSON.stringify(content));
  };

  beforeAll(() => {
    root = mkdtempSync(join(tmpdir(), 'recipewright-'));
    for (const [file, content] of Object.entries(around)) write(file, content);
    for (let n = 1; n <= 33; n++)
      write(`adhoc/d${n}.json`, { ...(n < 33 ? { imports: { n: `d${n + 1}.json` } } : {}), template: 'echo ok' });
    const body = (size: number): string => `{"template":"x"${' '.repeat(size - 16)}}`;
    for (const { file, source } of cases) {
      const size = file.endsWith('big.json') ? 1_048_577 : 1_048_576;
      write(file.replace('$B/', ''), source === '(large)' ? body(size) : source);
    }
  });
  afterAll(() => rmSync(root, { recursive: true }));

  test('are many', () => {
    expect(cases.length).toBe(66);
    expect(packaged.length).toBeGreaterThan(40);
  });

  test.for(cases)('$id is loaded alike', ({ file, v033 }) => {
    const { id: _, ...wanted } = JSON.parse(JSON.stringify(v033).replaceAll('$B', root)) as Record<string, unknown>;
    const options = { compat: true, agentDir: join(root, 'agent'), packagedRoot: corpus.packaged, cwd: root };
    expect(loaded(file.replace('$B', root), options)).toEqual(wanted);
  });

  test.for(packaged)('$id, a packaged recipe, is compiled alike', ({ id, recipe }) => {
    const options = { compat: true, agentDir: join(root, 'none'), packagedRoot: corpus.packaged };
    expect(loaded(join(corpus.packaged, id), options)).toEqual({ recipe });
  });

  test.for([true, false])('every packaged recipe loads (compat %s)', (compat) => {
    const files = readdirSync(corpus.packaged);
    expect(files.length).toBe(60);
    for (const file of files) {
      const options = { compat, agentDir: join(root, 'none'), packagedRoot: corpus.packaged };
      expect(loadTemplateRecipe(join(corpus.packaged, file), options).recipe, file).toBeDefined();
    }
  });

  test('the surroundings of the recorder are there', () => {
    expect(existsSync(join(root, 'adhoc/d33.json'))).toBe(true);
  });
});

function loaded(file: string, options: Parameters<typeof loadTemplateRecipe>[1]): object {
  try {
    const { recipe, diagnosis } = loadTemplateRecipe(file, options);
    const told = diagnosis === undefined ? {} : { diagnosis };
    return recipe ? { recipe } : { recipe: null, ...told };
  } catch (thrown) {
    return { throws: (thrown as Error).message };
  }
}
