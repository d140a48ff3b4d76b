// What travels from a Vitest worker to the reporter, also through a blob.
export const wire = {
  /** The type of the artifact that carries the package of one attempt. */
  package: 'recipewright:package',
  /** The type of the annotations that show nodes. */
  node: 'recipe-node',
} as const;

/** In the meta of a test: which recipe it is. `invalid`: nothing ran. */
export type Identity = { id: string; file: string; invalid?: true };

export type Meta = { recipewright?: Identity };

/** One file of a package, by its path in there. */
export type Sent = { name: string; path?: string; contentType?: string };

export type PackageArtifact = { type: typeof wire.package; attempt: number; attachments: Sent[] };
