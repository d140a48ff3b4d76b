// What travels from a worker to the reporter, in the channels that survive crashes and blobs.
export const wire = {
  /** Static annotation of the test: which recipe it is. */
  identity: '_recipewright',
  /** Step parameter with the line that opens a node or the run. */
  begin: 'recipewright',
  /** Step annotation, or attachment when it is long, with the line that closes it. */
  end: '_recipewright:end',
  /** Attachment: the Recipe v1 document that ran. */
  recipe: 'recipe.json',
} as const;

/** Longer lines go by attachment. */
export const longestAnnotation = 4_096;

/** `invalid`: nothing ran, so there is no package, and an old one must go. */
export type Identity = { id: string; file: string; invalid?: true };
