// recipewright schema: prints a JSON Schema for editors and other programs.

import { didYouMean } from '../document/didYouMean.js';
import { exitCodes } from '../evidence/failureTable.js';
import { documentSchema, schemaTitles } from '../registry/schemas.js';
import { print, printJson } from './output.js';
import { UsageError } from './usage.js';

export function schema(names: readonly string[], { json }: { json?: unknown }): number {
  const [name, ...more] = names;
  if (more.length > 0) throw new UsageError(`schema takes one name, but it got ${names.length}: ${names.join(', ')}.`);
  if (name === undefined) {
    const schemas = [...schemaTitles].map(([known, title]) => ({ name: known, title }));
    if (json) printJson({ schemas });
    else print(schemas.map(({ name: known, title }) => `${known.padEnd(22)} ${title}`).join('\n'));
    return exitCodes.pass;
  }
  const schemaDocument = documentSchema(name);
  if (!schemaDocument) throw new UsageError(`There is no schema ${JSON.stringify(name)}. ${suggestName(name)}`);
  printJson(schemaDocument);
  return exitCodes.pass;
}

function suggestName(name: string): string {
  const versioned = /-v\d/.test(name) ? name : `${name}-v1`;
  return schemaTitles.has(versioned)
    ? `Did you mean ${JSON.stringify(versioned)}?`
    : didYouMean(versioned, [...schemaTitles.keys()]);
}
