// The flow catalogs a recipe names in `uses`, as flows to inline.
import type { Finding } from '../../document/finding.js';
import { joinPointer } from '../../document/pointer.js';
import type { Document } from '../../document/readDocument.js';
import type { Resolve } from '../recipe.js';
import { catalogModel, type FlowJson } from './model.js';
import { shapeFindings } from './shapeFindings.js';

export type CatalogFlow = { json: FlowJson; document: Document };

export function useCatalogs(recipe: Document, uses: readonly string[], resolve: Resolve) {
  const flows = new Map<string, CatalogFlow>();
  const findings: Finding[] = [];
  const inline = Object.keys((recipe.value as { flows?: object }).flows ?? {});
  for (const [index, ref] of uses.entries()) {
    const path = joinPointer('/uses', index);
    const report = (code: string, message: string): void => {
      findings.push({ code, severity: 'error', path, place: recipe.place(path), message });
    };
    const { document, problem } = resolve(ref, recipe.file);
    if (!document) {
      report('recipe.unreadable_catalog', `The catalog ${JSON.stringify(ref)} cannot be read: ${problem ?? 'no such document'}`);
      continue;
    }
    const parsed = catalogModel.safeParse(document.value);
    if (!parsed.success) findings.push(...shapeFindings(document, parsed.error));
    else {
      for (const [id, json] of Object.entries((document.value as { flows: Record<string, FlowJson> }).flows)) {
        if (flows.has(id) || inline.includes(id))
          report('flow.declared_twice', `Flow ${JSON.stringify(id)} is declared more than once.`);
        flows.set(id, { json, document });
      }
    }
  }
  return { flows, findings };
}
