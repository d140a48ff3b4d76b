// Every finding code has a document with that one fault, a place in it, and a line in docs/findings.md.
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { createRegistry } from '../../../src/actions/registry.js';
import { loadRecipe } from '../../../src/check/loadRecipe.js';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const folder = join(root, 'test/corpus/bad');
const documents = readdirSync(folder).filter((name) => name.endsWith('.recipe.json'));
const codeOf = (name: string): string => name.replace('.recipe.json', '');
const load = (name: string) => loadRecipe(join(folder, name), { registry: createRegistry(), projectRoot: folder });

/** Codes of faults that are not in the text of a recipe. */
const elsewhere = ['action.missing_fixture', 'document.not_found', 'document.too_large', 'run.directory_not_empty'];
/** One fault that cannot come alone: nothing is reachable behind a broken way. */
const inseparable: Record<string, string> = {
  'workflow.missing_target': 'workflow.no_reachable_terminal',
  'workflow.missing_transition': 'workflow.no_reachable_terminal',
  'flow.missing_target': 'flow.no_reachable_terminal',
  'flow.missing_transition': 'flow.no_reachable_terminal',
};

describe('a bad document', () => {
  test.for(documents)('%s gets the finding it is named after, and no other error', (name) => {
    const { findings, text } = load(name);
    const finding = findings.find(({ code }) => code === codeOf(name));
    expect(findings.map(({ code }) => code)).toContain(codeOf(name));
    const others = findings.filter(
      ({ code, severity }) => severity === 'error' && code !== codeOf(name) && code !== inseparable[codeOf(name)],
    );
    expect(others).toEqual([]);
    expect(finding?.place.file).toBe(join(folder, name));
    expect(finding?.place.line).toBeLessThanOrEqual(text.split('\n').length || 1);
    expect(finding?.message).toMatch(/^\S.*[.:]/s);
  });

  test('is there for every code that the sources report, and every code is explained', () => {
    const sources = readdirSync(join(root, 'src'), { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    const reported = new Set<string>();
    for (const entry of sources) {
      const text = readFileSync(join(entry.parentPath, entry.name), 'utf8');
      if (!/document|dialects|check|graph|hosts/.test(relative(root, entry.parentPath))) continue;
      const areas = '(?:document|recipe|workflow|flow|action|assertion|template|command|inputs)';
      for (const [, code = ''] of text.matchAll(new RegExp(`'(${areas}\\.(?!json)[a-z0-9_]+)'`, 'g'))) reported.add(code);
      for (const [, code = ''] of text.matchAll(/\$\{area\}\.([a-z_]+)/g)) reported.add(`workflow.${code}`).add(`flow.${code}`);
    }
    const explained = readFileSync(join(root, 'docs/findings.md'), 'utf8');
    const known = [...documents.map(codeOf), ...elsewhere];
    expect([...reported].filter((code) => !known.includes(code))).toEqual([]);
    expect(known.filter((code) => !explained.includes(`\`${code}\``))).toEqual([]);
    expect(reported.size).toBeGreaterThan(30);
  });
});
