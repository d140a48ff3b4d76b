// The dialect of template recipes: saved command templates, in JSON or Markdown, compiled to Recipe v1.
import type { Finding, Place } from '../../document/finding.js';
import { joinPointer } from '../../document/jsonPointer.js';
import type { Document } from '../../document/readDocument.js';
import type { CompiledRecipe, Dialect, ResolveDocument } from '../../recipe/recipe.js';
import { compileClassic } from '../classic/compile.js';
import { checkValues } from './checkValues.js';
import { fromRead } from './parseRecipeText.js';
import { recipeContext } from './recipeContext.js';
import { type Library, type RecipeSource, rootPrefix } from './recipeImports.js';
import { resolveRecipe } from './resolveRecipe.js';
import { isTemplateError, TemplateError } from './templateError.js';
import { isObject } from './templateNode.js';
import { toRecipeV1 } from './toRecipeV1.js';

const foreign = ['validate', 'workflow', 'flows', 'topology', 'spec_version', 'schema_version'];

export const template: Dialect = {
  name: 'template',
  detect: ({ value }) => isObject(value) && Object.hasOwn(value, 'template') && !foreign.some((key) => Object.hasOwn(value, key)),
  compile(document, resolve) {
    try {
      return compileTemplate(document, resolve);
    } catch (thrown) {
      if (!isTemplateError(thrown)) throw thrown;
      return { findings: [findingOf(document, thrown)] };
    }
  },
};

function compileTemplate(document: Document, resolve: ResolveDocument): ReturnType<Dialect['compile']> {
  refuseLong(document);
  const source: RecipeSource = { file: document.file, name: nameOf(document.file), raw: document.value as RecipeSource['raw'] };
  const library = libraryBy(resolve);
  const recipe = resolveRecipe(source, { library, compat: false });
  if (!recipe) return { findings: [nothingToRun(document)] };
  if (recipe.disabled === true) return { findings: [disabled(document)] };
  const context = recipe.async === true ? () => recipeContext(source, library) : undefined;
  const { json, authored } = toRecipeV1(recipe, { written: source.raw?.template, context });
  const pointerOf = (pointer: string): string => nearest(pointer, authored);
  const origin: CompiledRecipe['origin'] = (pointer, part): Place => document.place(pointerOf(pointer), part);
  const classic = compileClassic(json, { origin, file: document.file }, resolve);
  const { compiled, findings } = classic;
  if (!compiled) return { findings };
  const checkInputs: CompiledRecipe['checkInputs'] = (values) => {
    const wrong = checkValues(recipe, values);
    return wrong ? [findingOf(document, { ...told(wrong), pointer: ['template'] })] : [];
  };
  return { compiled: { ...compiled, authored: pointerOf, findings, hasReferenceVerdict: true, checkInputs }, findings };
}

/** Data of this size belongs into a file of its own. */
const longestRecipe = 1_048_576;

function refuseLong({ file, text }: Pick<Document, 'file' | 'text'>): void {
  if (Buffer.byteLength(text) <= longestRecipe) return;
  throw new TemplateError('template.too_large', `Recipe file exceeds size limit ${longestRecipe} bytes: ${file}`);
}

/** The name of the file, which is all the identity a recipe has. */
export function nameOf(file: string): string {
  return (file.split(/[\\/]/).at(-1) ?? file).replace(/(\.template)?\.(json|md)$/i, '');
}

/** Imports are files of the project, beside the recipe or by a path from it, or of the places that its config opens. */
export function libraryBy(resolve: ResolveDocument): Library {
  return (from, importer) => {
    for (const ref of refsOf(from.trim())) {
      const { document, file, problem } = resolve(ref, importer);
      // A broken one is never passed over for another of its name.
      if (file !== undefined) return { file, name: nameOf(file), diagnosis: problem };
      if (document) refuseLong(document);
      if (document)
        return { file: document.file, name: nameOf(document.file), raw: fromRead({ document, text: '', findings: [] }).raw };
    }
    return undefined;
  };
}

function refsOf(from: string): string[] {
  const endings = ['.json', '.md', '.template.json', '.template.md'];
  const named = /\.(json|md)$/i.test(from) ? [from] : endings.map((ending) => from + ending);
  return placesOf(from).flatMap((place) => named.map(place));
}

/** In the order in which they are looked at: what the user has comes before what lies beside, and that before what came along. */
function placesOf(from: string): ((name: string) => string)[] {
  const root = (place: string) => (name: string) => `${rootPrefix}${place}/${name}`;
  if (from.startsWith('{agent}/')) return [(name) => root('agent')(name.slice('{agent}/'.length))];
  const beside = (name: string): string => name.replaceAll('{repo}', '..');
  const own = (name: string): string => (name.includes('/') ? beside(name) : `./${name}`);
  const here = [own, (name: string) => root('beside')(beside(name))];
  if (!/[/{~]/.test(from)) return [root('user'), ...here, root('search'), root('packaged')];
  return /^[\w.-]+\/[\w.-]+$/.test(from) ? [...here, root('skill')] : here;
}

function nearest(pointer: string, authored: ReadonlyMap<string, string>): string {
  if (pointer === '' || pointer.startsWith('/inputs')) return pointer.startsWith('/inputs') ? '/args' : '';
  for (let at = pointer; at !== ''; at = at.slice(0, at.lastIndexOf('/'))) {
    const found = authored.get(at);
    if (found !== undefined) return found;
  }
  return '/template';
}

function told({ code, message }: TemplateError): Pick<Told, 'code' | 'message'> {
  return { code, message: `${message.trim().replace(/[.]$/, '')}. Nothing was run` };
}

type Told = { code: string; message: string; pointer: readonly (string | number)[] };

function findingOf(document: Document, { code, message, pointer }: Told): Finding {
  const path = joinPointer('', ...pointer);
  const said = message.trim();
  return { code, severity: 'error', path, place: document.place(path), message: /[.!?]$/.test(said) ? said : `${said}.` };
}

function nothingToRun(document: Document): Finding {
  const message = 'The "template" of the recipe holds no command.';
  const hint =
    'Write a command, a list of commands, or an object with a "template". Lists inside of lists need { "template": [ … ] } around them.';
  return {
    code: 'template.nothing_to_run',
    severity: 'error',
    path: '/template',
    place: document.place('/template'),
    message,
    hint,
  };
}

function disabled(document: Document): Finding {
  const message = `Template recipe is disabled: ${document.file}`;
  return {
    code: 'template.disabled',
    severity: 'error',
    path: '/disabled',
    place: document.place('/disabled'),
    message,
    hint: 'Remove "disabled" to run it.',
  };
}
