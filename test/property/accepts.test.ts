// The quick yes of a model is never given to what the model refuses, and is given to what people write.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { officialActions } from '../../src/actions/vocabulary.js';
import { acceptsBy } from '../../src/dialects/recipeV1/accepts.js';
import { assertion, catalogModel, nodeModel, recipeModel } from '../../src/dialects/recipeV1/model.js';
import { goodDocuments } from '../support/goodDocuments.js';
import { membersOf, setMember } from '../support/membersOf.js';
import { runCount, timeoutMs } from './runCount.js';

const values = goodDocuments().map(({ text }) => JSON.parse(text) as unknown);
const classic = values.filter((value) => recipeModel.safeParse(value).success);
const nodes = classic.flatMap((value) => Object.values(recipeModel.parse(value).validate.workflow.nodes));

test('every good classic document and every example of an action is accepted', () => {
  expect(classic.length).toBeGreaterThan(3);
  // A node named __proto__ goes the long way.
  const usual = classic.filter((value) => !JSON.stringify(value).includes('__proto__'));
  for (const value of usual) expect(acceptsBy(recipeModel)(value)).toBe(true);
  for (const { schema, examples, name } of officialActions) {
    for (const { node } of examples) {
      const fields = Object.fromEntries(Object.entries(node).filter(([key]) => !(key in nodeModel.shape) || key === 'params'));
      // A time zone is asked of the machine, which a quick yes does not do.
      expect([name, acceptsBy(schema)(fields)]).toEqual([name, !('timezone' in fields || 'locale' in fields)]);
    }
  }
});

test('what is accepted is what zod accepts', { timeout: timeoutMs }, () => {
  const models: z.ZodType[] = [recipeModel, catalogModel, nodeModel, assertion, ...officialActions.map(({ schema }) => schema)];
  const junk = fc.oneof(fc.jsonValue({ maxDepth: 3 }), fc.constantFrom(...values, ...nodes));
  let accepted = 0;
  const property = fc.property(
    fc.nat(models.length - 1),
    junk,
    fc.nat(),
    fc.jsonValue({ maxDepth: 1 }),
    (pick, value, at, other) => {
      const model = models[pick] as z.ZodType;
      for (const tried of [value, replaced(value, at, other)]) {
        if (!acceptsBy(model)(tried)) continue;
        accepted++;
        expect(model.safeParse(tried).success).toBe(true);
      }
    },
  );
  fc.assert(property, runCount(20_000));
  expect(accepted).toBeGreaterThan(100);
});

test('a model with a check that is not known here is left to zod', () => {
  const even = z.strictObject({ a: z.number().refine((value) => value % 2 === 0) });
  expect(acceptsBy(even)({ a: 2 })).toBe(false);
  expect(acceptsBy(z.strictObject({ a: z.email() }))({ a: 'a@b.cd' })).toBe(false);
  expect(acceptsBy(z.date())(new Date())).toBe(false);
});

function replaced(root: unknown, at: number, other: unknown): unknown {
  const copy = structuredClone(root);
  const places = membersOf(copy);
  const [parent, key] = places[at % places.length] ?? [{}, ''];
  setMember(parent, key, other);
  return copy;
}
