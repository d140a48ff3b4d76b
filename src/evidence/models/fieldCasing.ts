// A field of a document in another spelling than the protocol's (spec §2: casing is part of it).
import { fieldProblem } from '../../formats/classic/shapeFindings.js';

export type Casing = { meant: string; message: string; hint: string };

export function fieldCasing(name: string, known: readonly string[]): Casing | undefined {
  if (known.includes(name)) return undefined;
  const { code, message } = fieldProblem(name, known);
  const meant = code === 'recipe.field_casing' ? known.find((field) => plain(field) === plain(name)) : undefined;
  return meant === undefined ? undefined : { meant, message, hint: `Did you mean ${JSON.stringify(meant)}?` };
}

function plain(field: string): string {
  return field.replaceAll(/[_-]/g, '').toLowerCase();
}
