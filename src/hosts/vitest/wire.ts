// What travels from a Vitest worker to the reporter, also through a blob.
export const wire = {
  /** The type of the artifact that carries the package of one attempt. */
  package: 'recipewright:package',
  /** The type of the annotations that show nodes. */
  node: 'recipe-node',
} as const;

/** One example of a flow of a catalog. */
export type Example = { flow: string; index: number };

/** In the meta of a test: which recipe it is. `invalid`: nothing ran; `problem`: why. `skip`: why there is nothing to run. `ownActions`: those of the project. */
export type Identity = {
  id: string;
  file: string;
  example?: Example;
  skip?: string;
  invalid?: true;
  problem?: string;
  ownActions?: readonly string[];
};

export type Meta = { recipewright?: Identity };

/** One file of a package, by its path in there: its bytes in base 64, or where they lie. */
export type Sent = { name: string; body?: string; bodyEncoding?: 'base64'; path?: string };

export type PackageArtifact = { type: typeof wire.package; attempt: number; attachments: Sent[] };
