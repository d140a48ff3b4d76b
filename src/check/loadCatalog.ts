// A flow catalog as a suite: every example of every flow as something a host can run, or the findings that say why not.

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

export type LoadedExample = LineRange & LoadResult & { title: string };

/** `findings` are errors of the flow itself; then its examples are not looked at. */
export type LoadedFlow = LineRange & { id: string; findings: Finding[]; examples: LoadedExample[] };

/** `findings` are errors of the catalog as a whole; then there are no flows. */
export type LoadedCatalog = { flows: LoadedFlow[]; findings: Finding[]; text: string };

export function loadCatalog(read: DocumentRead, { registry, ...rest }: LoadOptions): LoadedCatalog {
  const { document, compiled, findings, text } = checkDocument(read, { ...rest, vocabulary: registry });
  const errors = findings.filter(({ severity }) => severity === 'error');
  const ids = [...(compiled?.recipe.flows.keys() ?? [])];
  const ofFlow = (id: string): Finding[] => errors.filter(({ path }) => `${path}/`.startsWith(`${joinPointer('/flows', id)}/`));
  const general = errors.filter((finding) => !ids.some((id) => ofFlow(id).includes(finding)));
  if (!document || general.length > 0) return { flows: [], findings: general, text };
  const flows = ids.map((id): LoadedFlow => {
    const own = ofFlow(id);
    const examples = own.length > 0 ? [] : examplesOf(document, id, { ...rest, registry });
    return { id, ...findLineRange(document, joinPointer('/flows', id)), findings: own, examples };
  });
  return { flows, findings: [], text };
}

/** One example alone, for whoever runs it. */
export function loadExample(ref: ExampleRef, options: LoadOptions): LoadResult {
  const { document, flow, index } = ref;
  const made = exampleDocument(ref);
  if ('code' in made) return { findings: [made], text: document.text };
  return loadGenerated({ catalog: document, made, pointer: examplePointer(flow, index) }, options);
}

export type FlowCall = { document: Document; flow: string; params: object };

/** A call of a flow by somebody who knows what to give it. */
export function loadCall({ document, flow, params }: FlowCall, options: LoadOptions): LoadResult {
  const made = callDocument(document, flow, params);
  return loadGenerated({ catalog: document, made, pointer: joinPointer('/flows', flow) }, options);
}

type GeneratedDocument = { catalog: Document; made: Document; pointer: string };

function loadGenerated({ catalog, made, pointer }: GeneratedDocument, options: LoadOptions): LoadResult {
  const { text } = catalog;
  const { loaded, findings } = loadDocument({ document: made, text, findings: [] }, options);
  const catalogFindings = withoutDuplicates(
    findings.map((finding) => ({ ...finding, path: authoredPointer(finding.path, pointer) })),
  );
  return loaded
    ? { loaded: { document: catalog, compiled: loaded.compiled, plan: loaded.plan }, findings: catalogFindings, text }
    : { findings: catalogFindings, text };
}

// A flow that is called twice is found wrong twice.
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
