// The types and constants by which a Vitest worker and the reporter understand each other, also through a blob.
import type { DeclaredIdentity } from '../shared/declaredTests.js';

export const protocolTypes = {
  /** The type of the artifact that carries the package of one attempt. */
  package: 'recipewright:package',
  /** The type of the annotations that show nodes. */
  node: 'recipe-node',
} as const;

export type TestMeta = { recipewright?: DeclaredIdentity };

/** One file of a package, named by its path in the package: its bytes in base 64, or the path of a file with the bytes. */
export type SentFile = { name: string; body?: string; bodyEncoding?: 'base64'; path?: string };

export type PackageArtifact = { type: typeof protocolTypes.package; attempt: number; attachments: SentFile[] };
