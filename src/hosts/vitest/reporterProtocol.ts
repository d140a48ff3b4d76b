// The protocol between a Vitest worker and the reporter: the types of the data that the worker sends, directly or in a blob.
import type { DeclaredIdentity } from '../shared/declaredTests.js';

export const protocolTypes = {
  /** The type of the artifact that contains the package of one attempt. */
  package: 'recipewright:package',
  /** The type of the annotations that show nodes. */
  node: 'recipe-node',
} as const;

export type TestMeta = { recipewright?: DeclaredIdentity };

/** One file of a package. `name`: its path in the package. `body`: its bytes in base 64. `path`: a file with its bytes, instead of `body`. */
export type SentFile = { name: string; body?: string; bodyEncoding?: 'base64'; path?: string };

export type PackageArtifact = { type: typeof protocolTypes.package; attempt: number; attachments: SentFile[] };
