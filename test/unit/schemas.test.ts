// The schemas are generated from the models; `npx vitest run test/unit/schemas.test.ts -u` writes them anew.
import { expect, test } from 'vitest';
import { z } from 'zod';
import { catalogModel, recipeModel } from '../../src/dialects/recipeV1/model.js';
import { lineModel } from '../../src/evidence/journal.js';

test.for([
  ['recipe-v1', 'A recipe (Recipe Protocol v1)', recipeModel],
  ['flow-catalog-v1', 'A flow catalog (Recipe Protocol v1)', catalogModel],
  ['journal-v1', 'One line of journal.jsonl', lineModel],
] as const)('schemas/%s.schema.json is what the model says', async ([name, title, model]) => {
  const { $schema, ...rest } = z.toJSONSchema(model, { target: 'draft-7', io: 'input' });
  const schema = { $schema, $id: `recipewright/schemas/${name}.schema.json`, title, ...rest };
  await expect(`${JSON.stringify(schema, null, 2)}\n`).toMatchFileSnapshot(`../../schemas/${name}.schema.json`);
});
