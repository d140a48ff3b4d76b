// What an edited file makes run again besides itself. Vite looks for no imports in what is called .json, so Vitest cannot know.
import type { DocumentModules } from './documentModules.js';

/** `testsToRun`: nothing at all leaves the file to Vitest. */
export type WatchTrigger = { pattern: RegExp; testsToRun(file: string): string[] | undefined };

type Module = { file: string | null; importers: Set<Module> };
type Graph = { getModulesByFile(file: string): Set<Module> | undefined };

/** As much of Vitest as this asks. */
export type WatchedVitest = { projects?: readonly { vite: { environments: Record<string, { moduleGraph: Graph }> } }[] };

export function rerunBy(documents: DocumentModules, vitest: WatchedVitest): WatchTrigger {
  return {
    pattern: /./,
    testsToRun(file) {
      const concerned = [file, ...importersOf(file, vitest)].flatMap((changed) => documents.dependingOn(changed));
      if (concerned.length === 0) return undefined;
      // A catalog that others use has examples of its own, and Vitest asks nobody else now.
      return [...new Set(documents.has(file) ? [file, ...concerned] : concerned)];
    },
  };
}

/** The setup module may import what was changed. */
function importersOf(file: string, { projects = [] }: WatchedVitest): string[] {
  const graphs = projects.flatMap(({ vite }) => Object.values(vite.environments).map(({ moduleGraph }) => moduleGraph));
  const seen = new Set(graphs.flatMap((graph) => [...(graph.getModulesByFile(file) ?? [])]));
  for (const module of seen) for (const importer of module.importers) seen.add(importer);
  return [...seen].flatMap((module) => module.file ?? []);
}
