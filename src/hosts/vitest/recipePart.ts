// What the plain host is to run of a document: the recipe, or an example of a catalog. Its documents are kept before anything runs.
import { type LoadedCatalog, loadCatalog } from '../../check/loadCatalog.js';
import { type LoadOptions, type LoadResult, loadDocument } from '../../check/loadRecipe.js';
import type { Finding } from '../../document/finding.js';
import type { DocumentRead } from '../../document/readDocument.js';
import { ensuresState, secondCall } from '../../formats/classic/catalogExample.js';
import { readOnlyRegistry } from '../../run/readOnlyRegistry.js';
import type { RunPart } from '../plain/prepareRun.js';
import type { Example, Identity } from '../shared/declaredTests.js';
import { keepDocuments } from './keptDocuments.js';

/** `artifactsDir`: where the package is going to be. */
export function recipePart({ id, example }: Identity, artifactsDir: string): RunPart {
  const load = (read: DocumentRead, options: LoadOptions): LoadResult =>
    example ? exampleIn(catalogOf(read, options), example, read) : loadDocument(read, options);
  return {
    id,
    load(read, options) {
      const found = load(read, options);
      const kept = found.loaded ?? found.rejected;
      if (kept) keepDocuments(artifactsDir, kept);
      return found;
    },
    guard: (registry) => (example && ensuresState(example.flow) ? readOnlyRegistry(registry, secondCall) : registry),
  };
}

function exampleIn({ flows, findings, text }: LoadedCatalog, { flow, index }: Example, { document }: DocumentRead): LoadResult {
  const found = flows.find(({ id }) => id === flow);
  const wrong = found ? found.findings : findings;
  const example = wrong.length > 0 ? undefined : found?.examples[index];
  return example ?? { findings: wrong.length > 0 ? wrong : [nothingThere(document)], text };
}

function nothingThere(document: DocumentRead['document']): Finding {
  const place = document?.place('') ?? { file: '', line: 1, column: 1 };
  const message = 'The catalog has no flows, so that there is nothing to run.';
  const hint = 'Write flows with examples, or take the file out of "recipes" of the plugin.';
  return { code: 'flow.none_in_catalog', severity: 'error', path: '', place, message, hint };
}

// The tests of one catalog run in one worker, one after the other, with the same setup.
let last: { text: string; load: LoadedCatalog } | undefined;

function catalogOf(read: DocumentRead, options: LoadOptions): LoadedCatalog {
  if (last?.text !== read.text) last = { text: read.text, load: loadCatalog(read, options) };
  return last.load;
}
