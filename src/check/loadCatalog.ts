// Loads a flow catalog as a suite: every example of every flow becomes a recipe that a host can run, or findings.

import type { Finding } from '../document/finding.js';
import { joinPointer } from '../document/jsonPointer.js';
import { findLineRange, type LineRange } from '../document/lineRange.js';
import type { Document, DocumentRead } from '../document/readDocument.js';
import {
  authoredPointer,
  callDocument,
  catalogFlows,
  type ExampleRef,
  exampleDocument,
  examplePointer,
} from '../formats/classic/catalogExample.js';
import { checkDocument } from './checkFile.js';
import { type LoadOptions, type LoadResult, loadDocument } from './loadRecipe.js';

type LoadedExample = LineRange & LoadResult & { title: string };

/** `findings` are the errors of the flow itself. The examples of a flow with errors are not loaded. */
export type LoadedFlow = LineRange & { id: string; findings: Finding[]; examples: LoadedExample[] };

/** `findings` are the errors of the catalog itself. The flows of a catalog with errors are not loaded. */
export type LoadedCatalog = { flows: LoadedFlow[]; findings: Finding[]; text: string };

export function loadCatalog(read: DocumentRead, { registry, ...rest }: LoadOptions): LoadedCatalog {
  const { document, compiled, findings, text } = checkDocument(read, { ...rest, vocabulary: registry });
  const errors = findings.filter(({ severity }) => severity === 'error');
  const ids = [...(compiled?.recipe.flows.keys() ?? [])];
  const errorsOfFlow = (id: string): Finding[] =>
    errors.filter(({ path }) => `${path}/`.startsWith(`${joinPointer('/flows', id)}/`));
  const catalogErrors = errors.filter((finding) => !ids.some((id) => errorsOfFlow(id).includes(finding)));
  if (!document || catalogErrors.length > 0) return { flows: [], findings: catalogErrors, text };
  const flows = ids.map((id): LoadedFlow => {
    const flowErrors = errorsOfFlow(id);
    const examples = flowErrors.length > 0 ? [] : examplesOf(document, id, { ...rest, registry });
    return { id, ...findLineRange(document, joinPointer('/flows', id)), findings: flowErrors, examples };
  });
  return { flows, findings: [], text };
}

/** Loads one example, to be run. */
export function loadExample(ref: ExampleRef, options: LoadOptions): LoadResult {
  const { document, flow, index } = ref;
  const generated = exampleDocument(ref);
  if ('code' in generated) return { findings: [generated], text: document.text };
  return loadGenerated({ catalog: document, generated, pointer: examplePointer(flow, index) }, options);
}

export type FlowCall = { document: Document; flow: string; params: object };

/** Loads a call of a flow with the given params. */
export function loadCall({ document, flow, params }: FlowCall, options: LoadOptions): LoadResult {
  const generated = callDocument(document, flow, params);
  return loadGenerated({ catalog: document, generated, pointer: joinPointer('/flows', flow) }, options);
}

type GeneratedDocument = { catalog: Document; generated: Document; pointer: string };

function loadGenerated({ catalog, generated, pointer }: GeneratedDocument, options: LoadOptions): LoadResult {
  const { text } = catalog;
  const { loaded, findings } = loadDocument({ document: generated, text, findings: [] }, options);
  const catalogFindings = withoutDuplicates(
    findings.map((finding) => ({ ...finding, path: authoredPointer(finding.path, pointer) })),
  );
  return loaded
    ? { loaded: { document: catalog, compiled: loaded.compiled, plan: loaded.plan }, findings: catalogFindings, text }
    : { findings: catalogFindings, text };
}

// A flow that is called twice reports its findings twice.
function withoutDuplicates(findings: readonly Finding[]): Finding[] {
  return [...new Map(findings.map((finding) => [`${finding.code} ${finding.path} ${finding.message}`, finding])).values()];
}

function examplesOf(document: Document, flow: string, options: LoadOptions): LoadedExample[] {
  return (catalogFlows(document)[flow]?.examples ?? []).map((example, index) => {
    const { description = `example ${index + 1}` } = Object(example) as { description?: unknown };
    const title = `${flow}: ${String(description)}`;
    return { title, ...findLineRange(document, examplePointer(flow, index)), ...loadExample({ document, flow, index }, options) };
  });
}
