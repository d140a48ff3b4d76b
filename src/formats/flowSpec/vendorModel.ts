// An entry of the vendor registry: how requests of a vendor are known, and where they name their event. A project adds its own.
import * as z from 'zod';

const text = z.string().min(1);
const pattern = text.refine(compiles, { error: 'a regular expression was expected' });

/** A parameter of query or form, else a path in the JSON body (`context.pixel.code`), `url` or `auth`. */
const readingModel = z.union([
  text,
  z.strictObject({
    from: text,
    pattern: pattern.optional().describe('Its first group is the value.'),
    is: text.optional().describe('The value, when there is one at `from`.'),
    prefix: text.optional(),
    and: text.optional().describe('Another value, after a slash.'),
  }),
]);

export const vendorModel = z.strictObject({
  vendor: text,
  match: z.array(pattern).min(1).describe('Regular expressions over the address of the request.'),
  exclude: z.array(pattern).optional(),
  event: z.array(readingModel).optional(),
  account: z.array(readingModel).optional(),
  isLoader: z.boolean().optional().describe('It loads a script that the page needs, and so is never answered locally.'),
  isByLine: z.boolean().optional().describe('Each line of the body is an event of its own; the query is shared.'),
});

type Model = z.infer<typeof vendorModel>;

export type Reading = z.infer<typeof readingModel>;
export type Vendor = Readonly<Omit<Model, 'match' | 'exclude' | 'event' | 'account'>> & {
  readonly match: readonly string[];
  readonly exclude?: readonly string[] | undefined;
  readonly event?: readonly Reading[] | undefined;
  readonly account?: readonly Reading[] | undefined;
};

function compiles(source: string): boolean {
  try {
    return new RegExp(source, 'i') instanceof RegExp;
  } catch {
    // SyntaxError: it is none.
    return false;
  }
}
