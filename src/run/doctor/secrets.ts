// Whether each secret of a recipe has a value that can be kept secret. No value is ever shown.
import { isSecret } from '../../check/rules/inputs.js';
import type { Finding } from '../../document/finding.js';
import { joinPointer } from '../../document/jsonPointer.js';
import { readSecrets, type SecretSources } from '../inputs/readSecrets.js';
import { type Check, fail, pass, skip } from './doctorCheck.js';
import type { ExaminedRecipe } from './examinedRecipe.js';

/** `mask` takes the values out of what other checks say: a recipe may hold one by mistake, and they quote it. */
export type SecretChecks = { checks: Check[]; mask(text: string): string };

export function examineSecrets({ compiled, loaded, projectRoot }: ExaminedRecipe, env: SecretSources['env']): SecretChecks {
  const mask = (text: string): string => text;
  if (!compiled)
    return { checks: [skip('secrets.values', 'The recipe cannot be read, so that its secrets are not known.')], mask };
  const names = [...compiled.recipe.inputs].filter(([, value]) => isSecret(value)).map(([name]) => name);
  if (names.length === 0) return { checks: [pass('secrets.values', 'It has no secrets.')], mask };
  try {
    const { findings, vault } = readSecrets(loaded ?? { compiled }, { env, projectRoot });
    return { checks: names.map((name) => checkSecret(name, findings)), mask: vault.mask };
  } catch (thrown) {
    // EISDIR, EACCES: a "file:" that is there and cannot be read.
    const { code, path } = thrown as NodeJS.ErrnoException;
    if (code === undefined) throw thrown;
    const message = `A secret cannot be read from ${path ?? 'its file'} (${code}).`;
    return { checks: [fail('secrets.values', message, 'Make it a file that can be read.')], mask };
  }
}

function checkSecret(name: string, findings: readonly Finding[]): Check {
  const id = `secrets.${name}` as const;
  const finding = findings.find(({ path }) => path === joinPointer('/inputs', name));
  if (!finding) return pass(id, `The secret ${JSON.stringify(name)} has a value that can be kept secret.`);
  return fail(id, finding.message, finding.hint ?? 'Give it another value.');
}

export function skipSecrets(): SecretChecks {
  const check = skip('secrets.values', 'No recipe was named, and only recipes have secrets.');
  return { checks: [check], mask: (text) => text };
}
