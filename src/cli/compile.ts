// recipewright compile FILE [--out F]: the Recipe v1 document that would run.
import { resolve } from 'node:path';
import { checkFile } from '../check/checkFile.js';
import { hasErrors } from '../document/finding.js';
import { exitCodes } from '../evidence/failure.js';
import { writeWhole } from '../system/files.js';
import { type DeclaredOptions, declared } from './declared.js';
import { print, printJson, tell } from './output.js';
import { asJson, framesOf } from './report.js';
import { UsageError } from './usage.js';

export type CompileOptions = DeclaredOptions & { out?: unknown; json?: unknown };

export function compile(names: readonly string[], options: CompileOptions): number {
  const [name, ...more] = names;
  if (name === undefined || more.length > 0) throw new UsageError(`compile needs one file, but it got ${names.length}.`);
  if (options.out !== undefined && typeof options.out !== 'string') throw new UsageError('--out needs one file.');
  const { manifest, ...known } = declared(options);
  const file = resolve(name);
  const checked = { file, ...checkFile(file, { ...known, projectRoot: process.cwd() }) };
  const all = manifest ? [manifest, checked] : [checked];
  for (const frame of all.flatMap(framesOf)) tell(frame);
  if (!checked.compiled || all.some(({ findings }) => hasErrors(findings))) {
    if (options.json) printJson(asJson(all));
    return exitCodes.failed;
  }
  const text = `${JSON.stringify(checked.compiled.recipe.json, null, 2)}\n`;
  if (options.out === undefined) print(text);
  else writeWhole(resolve(options.out), text);
  return exitCodes.pass;
}
