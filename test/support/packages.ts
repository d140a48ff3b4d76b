// Reads evidence packages from disk.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import type { ArtifactManifest, JournalLine, Summary, TraceEntry } from '../../src/index.js';

export type Package = {
  dir: string;
  summary: Summary;
  trace: TraceEntry[];
  manifest: ArtifactManifest;
  /** The lines of journal.jsonl, not parsed. */
  journal: string[];
  lines: JournalLine[];
  /** All files except `.recipewright`, relative and sorted. */
  files: string[];
};

export function readPackages(outputDir: string): Map<string, Package> {
  const dirs = filesBelow(outputDir)
    .filter((file) => file.endsWith('artifact-manifest.json'))
    .map((file) => join(outputDir, file, '..'));
  return new Map(dirs.map((dir) => [relative(outputDir, dir).split(sep).join('/'), readPackage(dir)]));
}

export function readPackage(dir: string): Package {
  const json = <T>(name: string): T => JSON.parse(readFileSync(join(dir, name), 'utf8')) as T;
  const journal = readFileSync(join(dir, 'journal.jsonl'), 'utf8').split('\n').slice(0, -1);
  return {
    dir,
    summary: json('summary.json'),
    trace: json('trace.json'),
    manifest: json('artifact-manifest.json'),
    journal,
    lines: journal.map((line) => JSON.parse(line) as JournalLine),
    files: filesBelow(dir).filter((file) => file !== '.recipewright'),
  };
}

export function filesBelow(dir: string): string[] {
  if (!existsSync(dir)) return [];
  return readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(dir, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .sort();
}

/** Returns the package with this id. Throws with the existing ids when the package does not exist. */
export function packageOf({ packages }: { packages: ReadonlyMap<string, Package> }, id: string): Package {
  const evidence = packages.get(id);
  if (!evidence) throw new Error(`There is no package ${id}. Packages: ${[...packages.keys()].join(', ') || 'none'}.`);
  return evidence;
}
