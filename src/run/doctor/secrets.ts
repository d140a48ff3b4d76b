// Checks whether each secret of a recipe has a value that masking can protect. The doctor never prints a value.
import { isSecret } from '../../check/rules/inputs.js';
import type { Finding } from '../../document/finding.js';
import { joinPointer } from '../../document/jsonPointer.js';
import { readSecrets, type SecretSources } from '../inputs/readSecrets.js';
import { type Check, fail, pass, skip } from './doctorCheck.js';
import type { ExaminedRecipe } from './examinedRecipe.js';

/** `mask` removes the values from the messages of other checks, which may quote a recipe that contains a secret by mistake. */
export type SecretChecks = { checks: Check[]; mask(text: string): string };

export function examineSecrets({ compiled, loaded, projectRoot }: ExaminedRecipe, env: SecretSources['env']): SecretChecks {
  const mask = (text: string): string => text;
  if (!compiled) return { checks: [skip('secrets.values', 'The recipe cannot be read, so its secrets are unknown.')], mask };
  const names = [...compiled.recipe.inputs].filter(([, value]) => isSecret(value)).map(([name]) => name);
  if (names.length === 0) return { checks: [pass('secrets.values', 'The recipe has no secrets.')], mask };
  try {
    const { findings, vault } = readSecrets(loaded ?? { compiled }, { env, projectRoot });
    return { checks: names.map((name) => checkSecret(name, findings)), mask: vault.mask };
  } catch (thrown) {
    // EISDIR, EACCES: the file of a "file:" ref exists and cannot be read.
    const { code, path } = thrown as NodeJS.ErrnoException;
    if (code === undefined) throw thrown;
    const message = `A secret cannot be read from ${path ?? 'its file'} (${code}).`;
    return { checks: [fail('secrets.values', message, 'Put a readable file at this path.')], mask };
  }
}

function checkSecret(name: string, findings: readonly Finding[]): Check {
  const id = `secrets.${name}` as const;
  const finding = findings.find(({ path }) => path === joinPointer('/inputs', name));
  if (!finding) return pass(id, `The secret ${JSON.stringify(name)} has a value that can be masked.`);
  return fail(id, finding.message, finding.hint ?? 'Use another value.');
}

export function skipSecrets(): SecretChecks {
  const check = skip('secrets.values', 'No recipe given, and only recipes have secrets.');
  return { checks: [check], mask: (text) => text };
}
