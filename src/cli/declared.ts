// What recipes are held to on the command line: our own actions, or those of a runner's manifest; and the libraries they call.
import { resolve } from 'node:path';
import type { Declaration } from '../actions/action.js';
import { fromManifest, type ManifestVocabulary } from '../actions/manifest/fromManifest.js';
import { ours } from '../actions/registry.js';
import { official, type Vocabulary } from '../actions/vocabulary.js';
import { readFile } from '../check/readFile.js';
import { hasErrors } from '../document/finding.js';
import { kindOf } from '../system/files.js';
import { projectRootOf } from '../system/projectRoot.js';
import { pairsOf } from './pairs.js';
import { type Checked, shown } from './report.js';
import { UsageError } from './usage.js';

export type DeclaredOptions = { actionManifest?: unknown; library?: unknown; projectRoot?: unknown };

export type Declared = {
  vocabulary: Vocabulary;
  libraries: ReadonlyMap<string, string>;
  /** The manifest as a checked document of its own. */
  manifest?: Checked;
} & Partial<Omit<ManifestVocabulary, 'findings' | 'vocabulary'>>;

export function declared({ actionManifest, library }: DeclaredOptions): Declared {
  const libraries = librariesOf(library);
  if (actionManifest === undefined)
    return { vocabulary: new Map([...official, ...ours.map((action) => [action.name, action] as const)]), libraries };
  if (typeof actionManifest !== 'string' || actionManifest === '') throw new UsageError('--action-manifest needs one file.');
  const file = resolve(actionManifest);
  const { document, text, findings: problems } = readFile(file);
  if (!document) {
    const [first] = problems;
    throw new UsageError(`The action manifest ${actionManifest} cannot be read: ${first?.message ?? 'it is empty.'}`);
  }
  const { findings, vocabulary, ...known } = fromManifest(document.value, document.place);
  return {
    ...known,
    vocabulary: new Map([...builtIn(document.value), ...vocabulary]),
    libraries,
    manifest: { file, dialect: 'action-manifest', text, findings: [...problems, ...findings] },
  };
}

// Compiled documents need our own actions. The modern shape lists what adapters do, and these three need none.
function builtIn(manifest: unknown): [string, Declaration][] {
  const modern = typeof manifest === 'object' && manifest !== null && Object.hasOwn(manifest, 'actions');
  const graph = modern ? ['call', 'switch', 'end'].flatMap((name) => official.get(name) ?? []) : [];
  return [...ours, ...graph].map((action) => [action.name, action]);
}

/** The project of each file: the one that is named, or the one it lies in. */
export function rootsOf({ projectRoot }: DeclaredOptions): (file: string) => string {
  if (projectRoot === undefined) return (file) => projectRootOf(file);
  if (typeof projectRoot !== 'string' || projectRoot === '') throw new UsageError('--project-root needs one directory.');
  if (kindOf(projectRoot) !== 'directory') throw new UsageError(`The project root ${projectRoot} is no directory.`);
  return () => resolve(projectRoot);
}

/** Why recipes cannot be held to a manifest: what it declares is not known then. */
export function whyNotHeldTo(manifest: Checked | undefined): string | undefined {
  if (!manifest || !hasErrors(manifest.findings)) return undefined;
  return `The recipes were not checked, as the action manifest ${shown(manifest.file)} has errors: mend it and check again.`;
}

export function librariesOf(given: unknown): Map<string, string> {
  return new Map(
    [...pairsOf('--library name=path', given)].map(([name, path]) => {
      if (kindOf(path) !== 'directory') throw new UsageError(`The library ${name} is to be in ${path}, which is no directory.`);
      return [name, resolve(path)];
    }),
  );
}
