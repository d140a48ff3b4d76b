// The schemas are generated from the models; `npx vitest run test/unit/schemas.test.ts -u` writes them anew.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { catalogSchema, recipeSchema } from '../../src/dialects/recipeV1/jsonSchema.js';
import { lineModel } from '../../src/evidence/journal.js';

const journalSchema = () => {
  const { $schema, ...rest } = z.toJSONSchema(lineModel, { target: 'draft-7' });
  return { $schema, $id: 'recipewright/schemas/journal-v1.schema.json', title: 'One line of journal.jsonl', ...rest };
};

test.for([
  ['recipe-v1', recipeSchema],
  ['flow-catalog-v1', catalogSchema],
  ['journal-v1', journalSchema],
] as const)('schemas/%s.schema.json is what the model says', async ([name, schema]) => {
  await expect(`${JSON.stringify(schema(), null, 2)}\n`).toMatchFileSnapshot(`../../schemas/${name}.schema.json`);
});

test('the schema of a recipe knows the fields of the protocol', () => {
  const text = readFileSync(new URL('../../schemas/recipe-v1.schema.json', import.meta.url), 'utf8');
  for (const field of ['schema_version', 'proofTargets', 'startState', 'validate', 'timeout_ms', 'proofTarget']) expect(text).toContain(`"${field}"`);
});
