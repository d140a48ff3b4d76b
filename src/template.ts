// `recipewright/template`: command templates and template recipes from a program.
export { coerceArgs } from './formats/template/argDeclarations.js';
export type { Call, Exec, ExecRequest, ExecResult } from './formats/template/call.js';
export { type Discovered, type Discovery, discoverTemplates, launchable } from './formats/template/files/discoverTemplates.js';
export {
  type LoadedTemplate,
  type LoadTemplateOptions,
  loadTemplateRecipe,
} from './formats/template/files/loadTemplateRecipe.js';
export { recordUsage } from './formats/template/files/recordUsage.js';
export type { TemplateRecipe } from './formats/template/model.js';
export { type PublicArg, publicArgs } from './formats/template/publicArgs.js';
export { type ContextRecord, contextLines, recipeContext, withContext } from './formats/template/recipeContext.js';
export { type CommandTemplate, type ResolveOptions, resolveArgv, splitCommand } from './formats/template/resolveArgv.js';
export { riskWarnings } from './formats/template/riskWarnings.js';
export { TemplateError } from './formats/template/templateError.js';
export type { TemplateRun } from './formats/template/templateRun.js';
export { toRecipeV1 } from './formats/template/toRecipeV1.js';
export { type RunTemplateOptions, runTemplate } from './hosts/plain/runTemplate.js';
