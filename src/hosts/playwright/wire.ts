// What travels from a worker to the reporter, in the channels that survive crashes and blobs.
export const wire = {
  /** Static annotation of the test: the id of its package. Reports show annotations, so that nothing private is in them. */
  identity: 'recipewright',
  /** Static annotation: the flow whose example it is; empty for a catalog that cannot be read. */
  flow: 'recipewright flow',
  /** Static annotation: why nothing can run. */
  problem: 'recipewright problem',
  /** Static annotation: a claim of the recipe, as `ID: text`. */
  claim: 'proof target',
  /** Step parameter with the line that opens a node or the run. */
  begin: 'recipewright',
  /** Step annotation, or attachment when it is long or closes the run, with the line that closes it. */
  end: '_recipewright:end',
  /** Attachment: the Recipe v1 document that ran. */
  recipe: 'recipe.json',
  /** Attachments: the other documents of the package, by their names. */
  document: '_recipewright:document',
  /** Attachment: the names of the project's own actions, whether or not the recipe uses them. */
  actions: '_recipewright:actions',
  /** Step parameter: which recipe is run inside of a native test. */
  run: 'recipewright:run',
} as const;

/** Longer lines go by attachment. */
export const longestAnnotation = 4_096;

/** `invalid`: nothing ran, so there is no package, and an old one must go; `problem`: why. `flow`: the file is the catalog of this flow. */
export type Identity = { id: string; file: string; invalid?: true; problem?: string; flow?: string };

/** `key` ends the names of what belongs to this run, where a test has several. */
export type RunIdentity = { id: string; key: string };
