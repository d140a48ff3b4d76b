// What the model refuses, as findings with the protocol reference's codes where it has one.
import type { z } from 'zod';
import type { Finding } from '../../document/finding.js';
import { joinPointer } from '../../document/pointer.js';
import type { Document } from '../../document/readDocument.js';
import { readKeys } from '../../graph/path.js';

export function shapeFindings(document: Document, error: z.ZodError): Finding[] {
  return error.issues.map((issue) => {
    const keys = issue.path.map(String);
    const path = joinPointer('', ...keys);
    const missing = keys.length > 0 && !readKeys(document.value, keys).found;
    const place = document.place(missing ? joinPointer('', ...keys.slice(0, -1)) : path);
    return { code: codeOf(keys, missing), severity: 'error', path, place, message: sentence(keys, issue.message, missing) };
  });
}

const codes: readonly [pattern: RegExp, code: string][] = [
  [/^$/, 'recipe.invalid_document'],
  [/^schema_version$/, 'recipe.unsupported_schema_version'],
  [/^validate$/, 'recipe.missing_validate'],
  [/^validate\.workflow$/, 'recipe.missing_workflow'],
  [/^validate\.workflow\.entry$/, 'workflow.invalid_entry'],
  [/^validate\.workflow\.nodes$/, 'workflow.invalid_nodes'],
  [/^flows(\.|$)/, 'flow.invalid_flow'],
  [/^validate\.workflow\.(setup|teardown)/, 'workflow.invalid_lifecycle_node'],
  [/^startState/, 'workflow.invalid_start_state'],
  [/\.action$/, 'workflow.invalid_action'],
  [/\.next$/, 'workflow.invalid_next'],
  [/\.cases(\.|$)/, 'workflow.invalid_cases'],
  [/^validate\.workflow\.nodes\./, 'workflow.invalid_node'],
];

function codeOf(keys: readonly string[], missing: boolean): string {
  const path = keys.join('.');
  if (path === 'schema_version' && missing) return 'recipe.missing_schema_version';
  return codes.find(([pattern]) => pattern.test(path))?.[1] ?? 'recipe.invalid_document';
}

function sentence(keys: readonly string[], message: string, missing: boolean): string {
  const name = keys.at(-1) ?? 'The document';
  return missing ? `${JSON.stringify(name)} is required here.` : `${JSON.stringify(name)}: ${message}.`;
}
