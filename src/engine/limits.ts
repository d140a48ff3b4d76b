// The limits of the specification and of the engine. Those of a document's text (5 MB, 64 levels, 1 MB a string) are `readLimits` in
// src/document/readDocument.ts.

export type Limits = { visitsPerNode: number; stepsPerRun: number; callDepth: number };

export const defaultLimits: Limits = { visitsPerNode: 100, stepsPerRun: 10_000, callDepth: 8 };

/** Nodes of a recipe, including those of every flow it uses. */
export const maxRecipeNodes = 10_000;

/** Characters of the longest text that a pattern is matched against. */
export const maxSubjectLength = 1_048_576;

/** How long the worker may take for one match of a heavy pattern. */
export const patternBudgetMs = 250;
