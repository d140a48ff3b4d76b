// Reads the values of a recipe's secrets from the environment variables and files of their refs, which no package records (spec §4.1).

import type { LoadedRecipe } from '../../check/loadRecipe.js';
import { isInputDescriptor, isSecret } from '../../check/rules/inputs.js';
import type { Finding } from '../../document/finding.js';
import { joinPointer } from '../../document/jsonPointer.js';
import { openVault, type Vault } from '../../secrets/vault.js';
import { resolveInside } from '../../system/files/files.js';
import { readBounded } from '../../system/files/readBounded.js';

export type Secrets = {
  values: ReadonlyMap<string, string>;
  vault: Vault;
  /** A missing secret is a fault of the environment, not of the recipe. */
  findings: Finding[];
};

export type SecretSources = { env: Readonly<Record<string, string | undefined>>; projectRoot: string };

export const noSecrets: Secrets = { values: new Map(), vault: openVault(new Map()), findings: [] };

type SecretHolder = Pick<LoadedRecipe, 'compiled'> & Partial<Pick<LoadedRecipe, 'document'>>;

/** `document` is the author's document, which the package contains beside the compiled recipe. */
export function readSecrets({ compiled, document }: SecretHolder, sources: SecretSources): Secrets {
  const { recipe, origin } = compiled;
  const declared = [...recipe.inputs].filter(([, value]) => isSecret(value));
  if (declared.length === 0) return noSecrets;
  const values = new Map<string, string>();
  const findings: Finding[] = [];
  const refuse = (code: string, name: string, message: string, hint: string): void => {
    const path = joinPointer('/inputs', name);
    findings.push({ code, severity: 'error', path, place: origin(path), message, hint });
  };
  for (const [name, descriptor] of declared) {
    const ref = isInputDescriptor(descriptor) ? String(descriptor.ref) : '';
    const value = secretAt(ref, sources);
    if (value === undefined || value === '')
      refuse(
        'inputs.missing_secret',
        name,
        `The secret ${JSON.stringify(name)} has no value: ${ref} is missing or empty.${describePurpose(descriptor)}`,
        secretHint(ref),
      );
    else values.set(name, value);
  }
  const vault = openVault(values);
  for (const [name, why] of vault.refused)
    refuse(
      'inputs.weak_secret',
      name,
      `The secret ${JSON.stringify(name)} cannot be masked: ${why}`,
      'Use a value of at least 6 characters that is not a common word.',
    );
  if (vault.maskJson(recipe.json) !== recipe.json || (document && vault.mask(document.text) !== document.text))
    refuse(
      'inputs.secret_in_recipe',
      vault.names[0] ?? '',
      'The recipe contains the value of a secret in plain text, and the recipe is part of the evidence.',
      'Replace the value with a reference to the input, and change the secret.',
    );
  return { values, vault, findings };
}

function secretAt(ref: string, { env, projectRoot }: SecretSources): string | undefined {
  const [, kind, name = ''] = /^(env|file):(.+)$/s.exec(ref) ?? [];
  if (kind === 'env') return env[name];
  const file = kind === 'file' ? resolveInside(projectRoot, name) : undefined;
  // Editors add a line break to the last line of a file. The break does not belong to the secret.
  return file === undefined ? undefined : readSmall(file)?.replace(/\r?\n$/, '');
}

function readSmall(file: string): string | undefined {
  const read = readBounded(file, 1_000_000);
  return 'bytes' in read ? read.bytes.toString() : undefined;
}

/** The description of the input, for the message. Compiled flow-specs name the failure class there. */
function describePurpose(descriptor: unknown): string {
  const description = isInputDescriptor(descriptor) ? descriptor.description : undefined;
  return typeof description === 'string' && description.trim() !== '' ? ` ${description.trim()}` : '';
}

function secretHint(ref: string): string {
  const [kind, name] = [ref.slice(0, ref.indexOf(':')), ref.slice(ref.indexOf(':') + 1)];
  return kind === 'env' ? `Set the environment variable ${name}.` : `Write the value to the file ${name} in the project.`;
}
