// What the plugin adds to the `test` of a Vitest config.
import type { DocumentModules } from './documentModules.js';

export type TestConfig = {
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
