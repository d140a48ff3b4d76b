import type { DeclaredIdentity } from '../shared/declaredTests.js';

// What travels from a Vitest worker to the reporter, also through a blob.
export const protocolTypes = {
  /** The type of the artifact that carries the package of one attempt. */
  package: 'recipewright:package',
  /** The type of the annotations that show nodes. */
  node: 'recipe-node',
} as const;

export type TestMeta = { recipewright?: DeclaredIdentity };

/** One file of a package, by its path in there: its bytes in base 64, or where they lie. */
export type SentFile = { name: string; body?: string; bodyEncoding?: 'base64'; path?: string };

export type PackageArtifact = { type: typeof protocolTypes.package; attempt: number; attachments: SentFile[] };
