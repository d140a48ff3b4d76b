// The schemas are generated from the models; `npx vitest run test/unit/registry/schemas.test.ts -u` rewrites them.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Ajv, type ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { officialVocabulary } from '../../../src/actions/vocabulary.js';
import { checkFile } from '../../../src/check/checkFile.js';
import { hasErrors } from '../../../src/document/finding.js';
import { extensionActions } from '../../../src/registry/registry.js';
import { documentSchema, schemaTitles } from '../../../src/registry/schemas.js';
import { recipeOf } from '../../support/plain.js';
import { realPackage } from '../evidence/packages.js';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const corpus = join(root, '../shared/corpus/recipe-v1');
const names = [...schemaTitles.keys()];
const read = (...path: string[]): unknown => JSON.parse(readFileSync(join(...path), 'utf8'));
const entriesOf = (folder: string): string[] => (existsSync(folder) ? readdirSync(folder) : []);
const jsonIn = (folder: string): string[] => entriesOf(folder).filter((name) => name.endsWith('.json'));
const validators = new Map<string, ValidateFunction>();

/** The errors of ajv for a document. */
function refusals(name: string, document: unknown): string[] {
  const validate = validators.get(name) ?? compile(name);
  return validate(document) ? [] : (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}

function compile(name: string): ValidateFunction {
  // Strict ajv refuses keywords it does not know; the options only allow styles that zod writes in.
  const style = { strictTypes: false, strictRequired: false, strictTuples: false } as const;
  const Validator = name === 'flow_spec' ? Ajv2020 : Ajv;
  const validate = new Validator({ allErrors: true, ...style }).compile(documentSchema(name) ?? {});
  validators.set(name, validate);
  return validate;
}

describe('schemas/', () => {
  test.for(names)('schemas/%s.schema.json is generated from the model, in draft-07 or the draft of its format', async (name) => {
    const schema = documentSchema(name);
    const isLater = name === 'flow_spec';
    expect(schema?.$schema).toBe(
      isLater ? 'https://json-schema.org/draft/2020-12/schema' : 'http://json-schema.org/draft-07/schema#',
    );
    expect(refusals(name, { $schema: 'x' })).not.toEqual([]);
    await expect(`${JSON.stringify(schema, null, 2)}\n`).toMatchFileSnapshot(`../../../schemas/${name}.schema.json`);
  });

  test('schemas/ has no other files', () => {
    expect(jsonIn(join(root, 'schemas')).sort()).toEqual(names.map((name) => `${name}.schema.json`).sort());
  });
});

const good = join(root, 'test/corpus/good/documents');
const schemaFor = (file: string): string => file.replace(/--.*/, '');

describe('a good document', () => {
  test.for(jsonIn(good))('the good document %s fits its schema, with and without $schema', (file) => {
    const document = read(good, file);
    expect(refusals(schemaFor(file), document)).toEqual([]);
    // A flow-spec with an unknown field is refused, and $schema is unknown too.
    if (Array.isArray(document) || schemaFor(file) === 'flow_spec') return;
    expect(refusals(schemaFor(file), { ...(document as object), $schema: './here.json' })).toEqual([]);
  });

  test('the package of a run fits the schemas', async () => {
    const dir = await realPackage();
    for (const name of ['recipe', 'summary', 'trace', 'artifact-manifest'])
      expect([name, refusals(`${name}-v1`, read(dir, `${name}.json`))]).toEqual([name, []]);
    const lines = readFileSync(join(dir, 'journal.jsonl'), 'utf8').trimEnd().split('\n');
    expect(lines.flatMap((line) => refusals('journal-v1', JSON.parse(line)))).toEqual([]);
    expect(lines.length).toBeGreaterThan(10);
  });

  test('every schema has a good document, except those of files that a run writes', () => {
    const withDocument = new Set(jsonIn(good).map(schemaFor));
    expect(names.filter((name) => !withDocument.has(name))).toEqual(['recipe-v1', 'journal-v1']);
  });
});

const recipe = (node: Record<string, unknown>): unknown => recipeOf({ first: { next: 'done', ...node } });

type NodeSchema = {
  properties: Record<string, { description?: string; anyOf?: unknown; enum?: unknown }>;
  allOf: { if: { properties: { action: { const: string } } }; then: { description: string } }[];
};

describe('the schema of a recipe', () => {
  test('the schema of a recipe offers every action with its description', () => {
    const { definitions } = documentSchema('recipe-v1') as { definitions: { node: NodeSchema } };
    const { allOf: branches, properties } = definitions.node;
    const known = [...officialVocabulary.values(), ...extensionActions];
    expect(officialVocabulary.size).toBe(31);
    expect(branches.map((branch) => [branch.if.properties.action.const, branch.then.description])).toEqual(
      known.map(({ name, description }) => [name, description]),
    );
    expect(properties.action?.anyOf).toContainEqual({ enum: known.map(({ name }) => name) });
    expect(properties.action?.description).toBeTruthy();
    expect(properties.phase?.enum).toContain('proof');
  });

  test.for([
    ['a known field', { action: 'ui.wait_for', test_id: 'total', expected: 'visible' }],
    ['a reference where a number is required', { action: 'wait', duration_ms: '{{inputs.pause}}' }],
    ['a reference where an enum value is required', { action: 'ui.wait_for', test_id: 'total', expected: '{{inputs.seen}}' }],
    ['a field that is bound to a value of the run', { action: 'call', rw: { in: { ref: { source: 'choose' } } } }],
    ['a custom action with any field', { action: 'shop.ensure_cart', items: 3, colour: { deep: true } }],
  ] as const)('the schema of a recipe accepts %s', ([, node]) => {
    expect(refusals('recipe-v1', recipe(node))).toEqual([]);
  });

  test.for([
    ['a misspelt field', { action: 'ui.press', test_idd: 'buy' }, '/first property name must be valid'],
    ['a value outside an enum', { action: 'ui.wait_for', test_id: 'total', expected: 'maybe' }, '/first/expected must match'],
    ['a string where a number is required', { action: 'wait', duration_ms: 'long' }, '/first/duration_ms must match'],
    ['an empty argv', { action: 'command', argv: [] }, '/first/argv must NOT have fewer than 1 items'],
    ['a call without ref', { action: 'call' }, "/first must have required property 'ref'"],
    ['an unknown action without a namespace', { action: 'comand', cmd: 'true' }, '/first/action must match'],
    ['a wrong phase', { action: 'command', cmd: 'true', phase: 'prof' }, '/first/phase must be equal'],
  ] as const)('the schema of a recipe refuses %s', ([, node, error]) => {
    expect(refusals('recipe-v1', recipe(node)).join('\n')).toContain(error);
  });

  test('the schema of a recipe refuses the bad documents with invalid fields', () => {
    const bad = join(root, 'test/corpus/bad');
    for (const code of ['action.unknown_field', 'action.invalid_field', 'workflow.invalid_cases'])
      expect([code, refusals('recipe-v1', read(bad, `${code}.recipe.json`))]).not.toEqual([code, []]);
  });
});

describe.skipIf(!existsSync(corpus))('a published document (skipped where the corpus is not beside the project)', () => {
  /** Findings that are not about the shape of the document. */
  const otherFindings =
    /not_declared_by_manifest|unreadable_catalog|unresolved|undeclared|call_cycle|schema_mismatch|cannot_fail/;
  const wellFormedIn = (folder: string): string[] =>
    jsonIn(join(corpus, folder)).flatMap((name) => {
      const file = join(corpus, folder, name);
      const { dialect, findings } = checkFile(file, { vocabulary: officialVocabulary, projectRoot: corpus });
      const faults = findings.filter(({ code }) => !otherFindings.test(code));
      return dialect === 'recipe-v1' && !hasErrors(faults) ? [`${folder}/${name}`] : [];
    });

  test('every published recipe that passes the checks fits the schema', () => {
    const accepted = ['recipes', 'recipes/from-tests'].flatMap(wellFormedIn);
    expect(accepted.length).toBeGreaterThan(14);
    for (const file of accepted) expect([file, refusals('recipe-v1', read(corpus, file))]).toEqual([file, []]);
  });

  const manifests = ['manifests', 'manifests/v1-modern'].flatMap((folder) =>
    jsonIn(join(corpus, folder)).map((name) => ['action-manifest-v1', `${folder}/${name}`] as const),
  );
  const catalogs = ['catalogs/example.trade.flows.json', 'catalogs/from-tests/flows.json'].map(
    (file) => ['flow-catalog-v1', file] as const,
  );
  const packages = entriesOf(join(corpus, 'packages')).flatMap((name) =>
    jsonIn(join(corpus, 'packages', name)).flatMap((file) => {
      const schema = `${file.replace(/(\.excerpt)?\.json$/, '')}-v1`;
      return names.includes(schema) && schema !== 'recipe-v1' ? [[schema, `packages/${name}/${file}`] as const] : [];
    }),
  );

  test.for([...manifests, ...catalogs, ...packages])('the published document fits its schema %s: %s', ([schema, file]) => {
    expect(refusals(schema, read(corpus, file))).toEqual([]);
  });
});
