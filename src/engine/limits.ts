export type Limits = { visitsPerNode: number; stepsPerRun: number; callDepth: number };
export const defaultLimits: Limits = { visitsPerNode: 100, stepsPerRun: 10000, callDepth: 8 };
export const maxRecipeNodes = 10000;
export const maxSubjectLength = 1048576;
export const patternBudgetMs = 250;
