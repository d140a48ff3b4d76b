// The limits of the specification and of the engine. The limits of a document (5 MB, 64 levels, 1 MB for a string) are `readLimits` in
// src/document/readDocument.ts.

export type Limits = { visitsPerNode: number; stepsPerRun: number; callDepth: number };

export const defaultLimits: Limits = { visitsPerNode: 100, stepsPerRun: 10_000, callDepth: 8 };

/** The nodes of a recipe, including the nodes of every flow that the recipe uses. */
export const maxRecipeNodes = 10_000;

/** The length of the longest string against which a pattern is matched. */
export const maxSubjectLength = 1_048_576;

/** The time that the pattern thread may take to match a heavy pattern once. */
export const patternBudgetMs = 250;
