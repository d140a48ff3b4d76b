// `recipewright/template`: command templates and template recipes from a program.
export type { Call, Exec, ExecRequest, ExecResult } from './actions/template/execution.js';
export { type LoadedTemplate, type LoadTemplateOptions, loadTemplateRecipe } from './actions/template/loadTemplateRecipe.js';
export { type RunTemplateOptions, runTemplate } from './actions/template/runTemplate.js';
export type { TemplateRun } from './actions/template/templateRun.js';
export { coerceArgs } from './dialects/template/coerceArgs.js';
export { type Discovered, type Discovery, launchable } from './dialects/template/discoverRecipes.js';
export { type PublicArg, publicArgs } from './dialects/template/publicArgs.js';
export { type ContextRecord, contextLines, recipeContext, withContext } from './dialects/template/recipeContext.js';
export { type CommandTemplate, type ResolveOptions, resolveArgv } from './dialects/template/resolveArgv.js';
export { riskWarnings } from './dialects/template/riskWarnings.js';
export { splitCommand } from './dialects/template/splitCommand.js';
export { TemplateError } from './dialects/template/templateError.js';
export type { TemplateRecipe } from './dialects/template/templateRecipe.js';
export { toRecipeV1 } from './dialects/template/toRecipeV1.js';
export { discoverTemplates } from './system/templateFilesDiscovery.js';
export { recordUsage } from './system/templateFilesUsage.js';
