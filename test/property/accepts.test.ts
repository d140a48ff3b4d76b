// The quick yes of a model is never given to what the model refuses, and is given to what people write.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { officialDeclarations } from '../../src/actions/vocabulary.js';
import { acceptsBy } from '../../src/formats/classic/accepts.js';
import { filledBy } from '../../src/formats/classic/filled.js';
import { assertion, catalogModel, nodeModel, recipeModel } from '../../src/formats/classic/model.js';
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
  for (const { schema, examples, name } of officialDeclarations) {
    for (const { node } of examples) {
      const fields = Object.fromEntries(Object.entries(node).filter(([key]) => !(key in nodeModel.shape) || key === 'params'));
      // A time zone is asked of the machine, which a quick yes does not do.
      expect([name, acceptsBy(schema)(fields)]).toEqual([name, !('timezone' in fields || 'locale' in fields)]);
    }
  }
});

test('what is accepted is what zod accepts', { timeout: timeoutMs }, () => {
  const models: z.ZodType[] = [
    recipeModel,
    catalogModel,
    nodeModel,
    assertion,
    ...officialDeclarations.map(({ schema }) => schema),
  ];
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
  fc.assert(property, runCount(8_000, 100_000));
  expect(accepted).toBeGreaterThan(100);
});

test('what is filled without zod is what zod gives', { timeout: timeoutMs }, () => {
  const schemas = officialDeclarations.map(({ schema }) => schema);
  const written = nodes.map((node) => Object.fromEntries(Object.entries(node).filter(([key]) => !(key in nodeModel.shape))));
  const names = [...new Set(schemas.flatMap((schema) => Object.keys((schema as z.ZodObject).shape ?? {})))];
  const plain = fc.dictionary(fc.constantFrom(...names), fc.oneof(fc.string(), fc.integer(), fc.boolean()), { maxKeys: 4 });
  const examples = officialDeclarations.flatMap(({ examples }) => examples.map(({ node }) => node));
  const some = fc.oneof(plain, fc.constantFrom(...written, ...examples.map(({ action: _, ...fields }) => fields)));
  let filled = 0;
  const property = fc.property(fc.constantFrom(...schemas), some, (schema, fields) => {
    const given = filledBy(schema)(fields);
    if (given === undefined) return;
    filled++;
    expect(given).not.toBe(fields);
    expect({ success: true, data: given }).toEqual(schema.safeParse(fields));
  });
  fc.assert(property, runCount(8_000, 100_000));
  expect(filled).toBeGreaterThan(100);
});

test('defaults are filled in, and what zod would change is left to zod', () => {
  const model = z.strictObject({ a: z.string().default('x'), b: z.number().optional() });
  expect(filledBy(model)({ b: 1 })).toEqual({ a: 'x', b: 1 });
  expect(filledBy(model)({ c: 1 })).toBeUndefined();
  expect(filledBy(model)({ a: undefined })).toBeUndefined();
  expect(filledBy(z.strictObject({ a: z.string().trim() }))({ a: ' x ' })).toBeUndefined();
  expect(filledBy(z.strictObject({ a: z.string().transform((text) => text.length) }))({ a: 'x' })).toBeUndefined();
  expect(filledBy(z.strictObject({ a: z.coerce.string() }))({ a: 1 })).toBeUndefined();
  expect(filledBy(z.strictObject({ a: z.string() }).transform(({ a }) => a))({ a: 'x' })).toBeUndefined();
  expect(filledBy(z.strictObject({ a: z.string().optional().default('y') }))({})).toEqual({ a: 'y' });
  expect(filledBy(z.strictObject({ a: z.string().prefault('y') }))({})).toBeUndefined();
  expect(filledBy(z.strictObject({ a: z.string().default('y').optional() }))({})).toBeUndefined();
  // Of several that take it, the first.
  const both = [z.union([z.coerce.number(), z.string()]), z.union([z.string().transform(Number), z.string()])];
  for (const field of both) expect(filledBy(z.strictObject({ a: field }))({ a: '5' })).toBeUndefined();
  expect(filledBy(z.strictObject({ a: z.union([z.number(), z.string()]) }))({ a: '5' })).toEqual({ a: '5' });
  expect(Object.keys(filledBy(z.strictObject({ a: z.string(), b: z.number() }))({ b: 1, a: 'x' }) ?? {})).toEqual(['a', 'b']);
  expect(filledBy(z.looseObject({ a: z.string() }))({ a: 'x' })).toBeUndefined();
  expect(filledBy(z.strictObject({ a: z.unknown() }))({})).toBeUndefined();
  let count = 0;
  const counting = filledBy(z.strictObject({ a: z.number().default(() => ++count) }));
  expect([counting({}), counting({})]).toEqual([{ a: 1 }, { a: 2 }]);
  expect(filledBy(z.object({ a: z.string() }))({ a: 'x', b: 1 })).toBeUndefined();
});

test('a model with a check that is not known here is left to zod', () => {
  const even = z.strictObject({ a: z.number().refine((value) => value % 2 === 0) });
  expect(acceptsBy(even)({ a: 2 })).toBe(false);
  expect(acceptsBy(z.strictObject({ a: z.email() }))({ a: 'a@b.cd' })).toBe(false);
  expect(acceptsBy(z.date())(new Date())).toBe(false);
});

test('what may be anything must still be there', () => {
  const model = z.strictObject({ a: z.unknown() });
  expect([acceptsBy(model)({}), model.safeParse({}).success]).toEqual([false, false]);
  expect([acceptsBy(model)({ a: null }), acceptsBy(z.strictObject({ a: z.unknown().optional() }))({})]).toEqual([true, true]);
});

function replaced(root: unknown, at: number, other: unknown): unknown {
  const copy = structuredClone(root);
  const places = membersOf(copy);
  const [parent, key] = places[at % places.length] ?? [{}, ''];
  setMember(parent, key, other);
  return copy;
}
