// What the plugin adds to the `test` of a Vitest config.
import type { DocumentModules } from './documentModules.js';

export type TestConfig = {
  name?: unknown;
  projects?: unknown[];
  include?: string[];
  tags?: { name: string }[];
  strictTags?: boolean;
  includeTaskLocation?: boolean;
  reporters?: unknown;
};

const defaultInclude = ['**/*.{test,spec}.?(c|m)[jt]s?(x)'];

// Vite puts lists together: what is given here comes after what the project has.
export function testConfig(
  { include, tags, strictTags, includeTaskLocation = true }: TestConfig,
  documents: DocumentModules,
): TestConfig {
  const taken = new Set(tags?.map(({ name }) => name));
  return {
    include: include ? documents.patterns : [...defaultInclude, ...documents.patterns],
    // Claims are tags, and a project that has none of its own need not declare those that come while it is watched.
    tags: documents
      .tags()
      .filter((name) => !taken.has(name))
      .map((name) => ({ name })),
    ...(strictTags === undefined && tags === undefined ? { strictTags: false } : {}),
    // Reports and `file:line` know the line in the document.
    includeTaskLocation,
  };
}

/** Vitest 4 drops the tags that a plugin adds to the config of an inline project; what is here before the run is read by all projects. */
export function addTags(config: { tags?: { name: string }[] }, documents: DocumentModules): void {
  config.tags ??= [];
  const taken = new Set(config.tags.map(({ name }) => name));
  config.tags.push(...documents.tags().flatMap((name) => (taken.has(name) ? [] : { name })));
}

/** The name of a project, if its config has one. */
export function nameOf({ name }: TestConfig): string | undefined {
  const label: unknown = typeof name === 'string' ? name : (Object(name) as { label?: unknown }).label;
  return typeof label === 'string' && label !== '' ? label : undefined;
}
