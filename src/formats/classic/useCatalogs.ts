// The flow catalogs a recipe names in `uses`, as flows to inline.
import type { Finding } from '../../document/finding.js';
import { joinPointer } from '../../document/pointer.js';
import type { Document } from '../../document/readDocument.js';
import type { Compiled, Resolve } from '../../recipe/recipe.js';
import { catalogModel, type FlowJson, type RecipeJson } from './model.js';
import { protoIssues } from './protoNodes.js';
import { readShape } from './shape.js';
import { shapeFindings } from './shapeFindings.js';

export type CatalogFlow = { json: FlowJson; document: Document; catalog: string };

type Using = { json: RecipeJson; origin: Compiled['origin']; file: string };

export function useCatalogs({ json, origin, file }: Using, resolve: Resolve) {
  const flows = new Map<string, CatalogFlow>();
  const findings: Finding[] = [];
  for (const [index, ref] of (json.uses ?? []).entries()) {
    const path = joinPointer('/uses', index);
    const report = (code: string, message: string): void => {
      findings.push({ code, severity: 'error', path, place: origin(path), message });
    };
    const { document, problem } = resolve(ref, file);
    if (!document) {
      report('recipe.unreadable_catalog', `The catalog ${JSON.stringify(ref)} cannot be read: ${problem ?? 'no such document'}`);
      continue;
    }
    const shape = readShape(catalogModel, document.value, protoIssues);
    findings.push(...shapeFindings(document.value, shape.issues, (pointer) => document.place(pointer)));
    for (const [id, flow] of Object.entries(shape.value?.flows ?? {})) {
      if (flows.has(id) || Object.hasOwn(json.flows ?? {}, id))
        report('flow.declared_twice', `Flow ${JSON.stringify(id)} is declared more than once.`);
      flows.set(id, { json: flow, document, catalog: ref });
    }
  }
  return { flows, findings };
}
