// Compiles template recipes, which are saved command templates in JSON or Markdown, to Recipe v1.
import type { Finding, Place } from '../../document/finding.js';
import { joinPointer } from '../../document/jsonPointer.js';
import type { Document } from '../../document/readDocument.js';
import type { CompiledRecipe, Dialect, ResolveDocument } from '../../recipe/recipe.js';
import { compileClassic } from '../classic/compile.js';
import { coerceValues, parseDeclarations } from './argDeclarations.js';
import { resolveArtifacts } from './artifacts.js';
import type { TemplateRecipe } from './model.js';
import { isObject, toRootNode } from './model.js';
import { toParsedText } from './parseRecipeText.js';
import { recipeContext } from './recipeContext.js';
import { type RecipeLibrary, type RecipeSource, templateRootPrefix } from './recipeImports.js';
import { checkNodes, maxBranches } from './resolveNode.js';
import { resolveRecipe } from './resolveRecipe.js';
import { buildRunVariables } from './runVariables.js';
import { isTemplateError, TemplateError } from './templateError.js';
import type { Layer } from './templateValues.js';
import { toRecipeV1 } from './toRecipeV1.js';

const otherFormatKeys = ['validate', 'workflow', 'flows', 'topology', 'spec_version', 'schema_version'];

export const template: Dialect = {
  name: 'template',
  detect: ({ value }) =>
    isObject(value) && Object.hasOwn(value, 'template') && !otherFormatKeys.some((key) => Object.hasOwn(value, key)),
  compile(document, resolve) {
    try {
      return compileTemplate(document, resolve);
    } catch (thrown) {
      if (!isTemplateError(thrown)) throw thrown;
      return { findings: [createFinding(document, thrown)] };
    }
  },
};

function compileTemplate(document: Document, resolve: ResolveDocument): ReturnType<Dialect['compile']> {
  checkSize(document);
  const source: RecipeSource = {
    file: document.file,
    name: toRecipeName(document.file),
    raw: document.value as RecipeSource['raw'],
  };
  const library = createDocumentLibrary(resolve);
  const recipe = resolveRecipe(source, { library, compat: false });
  if (!recipe) return { findings: [createNothingToRunFinding(document)] };
  if (recipe.disabled === true) return { findings: [createDisabledFinding(document)] };
  const context = recipe.async === true ? () => recipeContext(source, library) : undefined;
  const { json, authored } = toRecipeV1(recipe, { authoredTemplate: source.raw?.template, context });
  const pointerOf = (pointer: string): string => findAuthoredPointer(pointer, authored);
  const origin: CompiledRecipe['origin'] = (pointer, part): Place => document.place(pointerOf(pointer), part);
  const classic = compileClassic(json, { origin, file: document.file }, resolve);
  const { compiled, findings } = classic;
  if (!compiled) return { findings };
  const checkInputs: CompiledRecipe['checkInputs'] = (values) => {
    const problem = checkValues(recipe, values);
    return problem ? [createFinding(document, { ...describeRefusal(problem), pointer: ['template'] })] : [];
  };
  return { compiled: { ...compiled, authored: pointerOf, findings, hasReferenceVerdict: true, checkInputs }, findings };
}

/** Larger data belongs in a separate file. */
const maxRecipeBytes = 1_048_576;

function checkSize({ file, text }: Pick<Document, 'file' | 'text'>): void {
  if (Buffer.byteLength(text) <= maxRecipeBytes) return;
  throw new TemplateError('template.too_large', `Recipe file exceeds size limit ${maxRecipeBytes} bytes: ${file}`);
}

/** Returns the name of a recipe, which is its file name without the ending. */
export function toRecipeName(file: string): string {
  return (file.split(/[\\/]/).at(-1) ?? file).replace(/(\.template)?\.(json|md)$/i, '');
}

/** Finds imports in the folder of the importing recipe, at a path relative to it, and in the folders that the config allows. */
export function createDocumentLibrary(resolve: ResolveDocument): RecipeLibrary {
  return (from, importer) => {
    for (const ref of listImportRefs(from.trim())) {
      const { document, file, problem } = resolve(ref, importer);
      // A broken recipe is an error, even when another place has a valid recipe of the same name.
      if (file !== undefined) return { file, name: toRecipeName(file), diagnosis: problem };
      if (document) checkSize(document);
      if (document)
        return {
          file: document.file,
          name: toRecipeName(document.file),
          raw: toParsedText({ document, text: '', findings: [] }).raw,
        };
    }
    return undefined;
  };
}

function listImportRefs(from: string): string[] {
  const endings = ['.json', '.md', '.template.json', '.template.md'];
  const fileNames = /\.(json|md)$/i.test(from) ? [from] : endings.map((ending) => from + ending);
  return listImportPlaces(from).flatMap((place) => fileNames.map(place));
}

/** Lists the places of an import in lookup order: the user's recipes, the folder of the importing file, installed packages. */
function listImportPlaces(from: string): ((name: string) => string)[] {
  const root = (place: string) => (name: string) => `${templateRootPrefix}${place}/${name}`;
  if (from.startsWith('{agent}/')) return [(name) => root('agent')(name.slice('{agent}/'.length))];
  const expandRepo = (name: string): string => name.replaceAll('{repo}', '..');
  const toOwnPath = (name: string): string => (name.includes('/') ? expandRepo(name) : `./${name}`);
  const localPlaces = [toOwnPath, (name: string) => root('beside')(expandRepo(name))];
  if (!/[/{~]/.test(from)) return [root('user'), ...localPlaces, root('search'), root('packaged')];
  return /^[\w.-]+\/[\w.-]+$/.test(from) ? [...localPlaces, root('skill')] : localPlaces;
}

function findAuthoredPointer(pointer: string, authored: ReadonlyMap<string, string>): string {
  if (pointer === '' || pointer.startsWith('/inputs')) return pointer.startsWith('/inputs') ? '/args' : '';
  for (let at = pointer; at !== ''; at = at.slice(0, at.lastIndexOf('/'))) {
    const authoredPointer = authored.get(at);
    if (authoredPointer !== undefined) return authoredPointer;
  }
  return '/template';
}

function describeRefusal({ code, message }: TemplateError): Pick<Problem, 'code' | 'message'> {
  return { code, message: `${message.trim().replace(/[.]$/, '')}. No command was started` };
}

type Problem = { code: string; message: string; pointer: readonly (string | number)[] };

function createFinding(document: Document, { code, message, pointer }: Problem): Finding {
  const path = joinPointer('', ...pointer);
  const trimmed = message.trim();
  const sentence = /[.!?]$/.test(trimmed) ? trimmed : `${trimmed}.`;
  return { code, severity: 'error', path, place: document.place(path), message: sentence };
}

function createNothingToRunFinding(document: Document): Finding {
  const message = 'The "template" of the recipe has no command.';
  const hint =
    'Write a command, a list of commands, or an object with a "template". Wrap a list inside a list in { "template": [ … ] }.';
  return {
    code: 'template.nothing_to_run',
    severity: 'error',
    path: '/template',
    place: document.place('/template'),
    message,
    hint,
  };
}

function createDisabledFinding(document: Document): Finding {
  const message = `Template recipe is disabled: ${document.file}`;
  return {
    code: 'template.disabled',
    severity: 'error',
    path: '/disabled',
    place: document.place('/disabled'),
    message,
    hint: 'Remove "disabled" to run the recipe.',
  };
}

// Checks the values of a template recipe before the run starts, because a run that fails in the middle leaves its work half done.

/** Resolves every node that would run with these values, and returns the first error. */
function checkValues({ template, artifacts = {} }: TemplateRecipe, values: Layer): TemplateError | undefined {
  const node = toRootNode(template);
  const { args, defaults } = node;
  try {
    const types = new Map(parseDeclarations(args).map(({ name, type }) => [name, type]));
    // The run variables do not exist yet. They are always strings, so any string serves.
    const callerValues = { ...buildRunVariables({ run: 'run', stateDir: '/run' }), ...coerceValues(types, values) };
    checkNodes({ node, inherited: {} }, { callerValues, compat: false, cwd: '.', maxParallel: maxBranches });
    resolveArtifacts(artifacts, { callerValues, defaults, args });
    return undefined;
  } catch (thrown) {
    if (isTemplateError(thrown)) return thrown;
    throw thrown;
  }
}
