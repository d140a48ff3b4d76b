// recipewright compile: prints the Recipe v1 document that would run, with everything it uses inlined.
import { resolve } from 'node:path';
import { checkFile, type FileCheck } from '../check/checkFile.js';
import { readDocumentFile } from '../check/readDocumentFile.js';
import { hasErrors } from '../document/finding.js';
import { oneLine } from '../document/printFinding.js';
import { exitCodes } from '../evidence/failureTable.js';
import { writeIntegrityHash } from '../formats/runtime/integrityHash.js';
import { writeFileAtomically } from '../system/files/files.js';
import { parseOutputFile } from './arguments.js';
import { createCheckOptions, type DeclarationOptions, describeBrokenManifest, readDeclarations } from './declarations.js';
import { type CheckedFile, codeFrames, findingsToJson } from './findingsReport.js';
import { print, printJson, printToStderr } from './output.js';
import { UsageError } from './usage.js';

export type CompileOptions = DeclarationOptions & { out?: unknown; writeHash?: unknown; json?: unknown };

export async function compile(names: readonly string[], options: CompileOptions): Promise<number> {
  const [name, ...more] = names;
  if (name === undefined || more.length > 0) throw new UsageError(`compile needs one file, but it got ${names.length}.`);
  if (options.writeHash) return rewriteIntegrityHash(resolve(name));
  const out = parseOutputFile('--out', options.out);
  const declarations = readDeclarations(options);
  const { manifest } = declarations;
  const checkOptionsFor = createCheckOptions(options, declarations);
  const file = resolve(name);
  const unchecked = describeBrokenManifest(manifest);
  const checked: CheckedFile & Pick<FileCheck, 'compiled'> =
    unchecked === undefined
      ? { file, ...checkFile(file, await checkOptionsFor(file)) }
      : { file, text: '', findings: [], unchecked };
  const checkedFiles = manifest ? [manifest, checked] : [checked];
  for (const frame of checkedFiles.flatMap(codeFrames)) printToStderr(frame);
  if (unchecked !== undefined) printToStderr(oneLine(unchecked));
  if (!checked.compiled || checkedFiles.some(({ findings }) => hasErrors(findings))) {
    if (options.json) printJson(findingsToJson(checkedFiles));
    return exitCodes.failed;
  }
  const text = `${JSON.stringify(checked.compiled.recipe.json, null, 2)}\n`;
  if (out === undefined) print(text);
  else writeFileAtomically(out, text);
  return exitCodes.pass;
}

function rewriteIntegrityHash(file: string): number {
  const { document } = readDocumentFile(file);
  const text = document && writeIntegrityHash(document.text);
  if (text === undefined)
    throw new UsageError(
      `${file} is not a runtime recipe, so it has no integrity hash. Run "recipewright validate" on it to see why.`,
    );
  writeFileAtomically(file, text);
  return exitCodes.pass;
}
