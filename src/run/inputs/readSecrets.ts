// The values of a recipe's secrets, read where their refs say, and never from anywhere that is recorded (spec §4.1).

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
  /** A secret that is not there is trouble of the environment, not of the recipe. */
  findings: Finding[];
};

export type SecretSources = { env: Readonly<Record<string, string | undefined>>; projectRoot: string };

export const noSecrets: Secrets = { values: new Map(), vault: openVault(new Map()), findings: [] };

type SecretHolder = Pick<LoadedRecipe, 'compiled'> & Partial<Pick<LoadedRecipe, 'document'>>;

/** `document`: what its author wrote, which goes into the package beside what was made of it. */
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
        `The secret ${JSON.stringify(name)} has no value: ${ref} is not there or empty.${describePurpose(descriptor)}`,
        secretHint(ref),
      );
    else values.set(name, value);
  }
  const vault = openVault(values);
  for (const [name, why] of vault.refused)
    refuse(
      'inputs.weak_secret',
      name,
      `The secret ${JSON.stringify(name)} cannot be kept secret: ${why}`,
      'Use a value of at least 6 characters that is no common word.',
    );
  if (vault.maskJson(recipe.json) !== recipe.json || (document && vault.mask(document.text) !== document.text))
    refuse(
      'inputs.secret_in_recipe',
      vault.names[0] ?? '',
      'The recipe holds the value of a secret in plain text, and it is part of the evidence.',
      'Take it out, refer to the input instead, and change the secret.',
    );
  return { values, vault, findings };
}

function secretAt(ref: string, { env, projectRoot }: SecretSources): string | undefined {
  const [, kind, name = ''] = /^(env|file):(.+)$/s.exec(ref) ?? [];
  if (kind === 'env') return env[name];
  const file = kind === 'file' ? resolveInside(projectRoot, name) : undefined;
  // A last line break is the editor's, not the secret's.
  return file === undefined ? undefined : readSmall(file)?.replace(/\r?\n$/, '');
}

function readSmall(file: string): string | undefined {
  const read = readBounded(file, 1_000_000);
  return 'bytes' in read ? read.bytes.toString() : undefined;
}

/** As the recipe describes it; what stands for a failure class in other formats is said there, too. */
function describePurpose(descriptor: unknown): string {
  const description = isInputDescriptor(descriptor) ? descriptor.description : undefined;
  return typeof description === 'string' && description.trim() !== '' ? ` ${description.trim()}` : '';
}

function secretHint(ref: string): string {
  const [kind, name] = [ref.slice(0, ref.indexOf(':')), ref.slice(ref.indexOf(':') + 1)];
  return kind === 'env' ? `Set the environment variable ${name}.` : `Write the value to the file ${name} in the project.`;
}
