// Conditions of a template recipe have the same result in a compiled recipe and in runTemplate.
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { runRecipe } from '../../src/hosts/plain/runRecipe.js';
import { runTemplate } from '../../src/hosts/plain/runTemplate.js';

describe('a condition of a template recipe', () => {
  let root: string;
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'recipewright-'));
    mkdirSync(join(root, 'direct'));
  });
  afterEach(() => rmSync(root, { recursive: true }));

  function runAsRecipe(recipe: object, inputs: object) {
    writeFileSync(join(root, 'a.template.json'), JSON.stringify(recipe));
    return runRecipe(join(root, 'a.template.json'), {
      artifactsDir: join(root, 'out'),
      projectRoot: root,
      inputs: { ...inputs },
    });
  }

  const asking = (when: string, more: object = {}): object => ({
    ...more,
    template: [{ when, template: 'touch begun' }, 'true'],
  });
  const flagged = { args: ['flag:bool=true'] };
  const counting = (when: string): object => ({ repeat: 2, template: [{ when, template: 'touch begun' }, 'true'] });

  test.for([
    [asking('flag', flagged), {}, true],
    [asking('flag', flagged), { flag: false }, false],
    [asking('!flag', flagged), {}, false],
    [asking('{flag=false}', flagged), {}, true],
    [asking('flag', { args: ['flag:bool=true'], defaults: { flag: false } }), {}, false],
    [asking('flag', { args: ['other:bool=true', 'flag'], defaults: { flag: '{other}' } }), {}, true],
    // A flag of the caller overrides the default.
    [asking('flag', { args: ['other:bool', 'flag'], defaults: { flag: '{other}' } }), { flag: 'yes', other: false }, true],
    [asking('!flag', { args: ['other:bool', 'flag'], defaults: { flag: '{other}' } }), { flag: 'no', other: true }, true],
    [asking('flag', { args: ['other:bool', 'flag'], defaults: { flag: '{other}' } }), { other: true }, true],
    // A value of the import overrides the caller.
    [{ template: [{ values: { flag: 'yes' }, template: [{ when: 'flag', template: 'touch begun' }] }, 'true'] }, {}, true],
    [asking('!l', { args: ['l:array'] }), { l: [] }, true],
    [asking('l', { args: ['l:array'] }), { l: [] }, false],
    [asking('l', { args: ['l:array'] }), { l: ['no'] }, true],
    [asking('{l}', { args: ['l:array'] }), { l: [] }, true],
    [asking('l', { defaults: { l: [] } }), {}, false],
    [counting('index'), {}, true],
    [counting('index'), { index: false }, true],
    [counting('!index'), {}, true],
    [counting('{_prev}'), {}, true],
    [counting('!repeat'), {}, false],
    [counting('!next'), { next: true }, true],
    [{ defaults: { later: '{index}' }, repeat: 1, template: [{ when: 'later', template: 'touch begun' }, 'true'] }, {}, false],
    [asking('index'), {}, false],
  ] as const)('the command in %j with the inputs %j starts: %s', async ([recipe, inputs, begins]) => {
    const ran = await runAsRecipe(recipe, inputs);
    expect(ran).toMatchObject({ ran: true, summary: { status: 'pass' } });
    expect(existsSync(join(root, 'begun'))).toBe(begins);
    const direct = await runTemplate(recipe, inputs, { cwd: join(root, 'direct') });
    expect([direct.ok, existsSync(join(root, 'direct/begun'))]).toEqual([true, begins]);
  });

  test.for(['index', '!_next', '{repeat}', 'later'])('a condition on the rounds of a list is refused: %s', async (when) => {
    const template = [{ when, template: 'false' }, 'true'];
    const ran = await runAsRecipe({ defaults: { l: ['a', 'b'], later: '{index}' }, repeat: '{l.length}', template }, {});
    expect(ran).toMatchObject({ ran: false, findings: [{ code: 'template.unsupported_when' }] });
  });
});
