// Secrets as people and machines make them, the same ones in every run.
import fc from 'fast-check';
import { findWeakness } from '../../../src/secrets/secretFragments.js';

const letters = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';
const marks = ` !"#$%&'()*+,-./:;<=>?@[\\]^_\`{|}~`;

const of = (characters: string) => fc.constantFrom(...characters);
const texts = (unit: fc.Arbitrary<string>, minLength = 8) =>
  fc.array(unit, { minLength, maxLength: 32 }).map((units) => units.join(''));

/** Where encoders differ most: nearly all of them marks. */
const hard = `\\"'$ &<>%/+\`aB`;

/** Tokens, pass phrases full of marks, and words of other alphabets; without white space around them. */
export const secretValue: fc.Arbitrary<string> = fc
  .oneof(texts(of(letters)), texts(of(letters + marks)), texts(of(hard)), texts(of(`${letters}äöüßéñçøżЖДЮλπ漢字かな😀${marks}`)))
  .filter((value) => value.trim() === value && findWeakness(value) === undefined);

export function generatedSecrets(count: number, seed = 41): string[] {
  return fc.sample(secretValue, { numRuns: count, seed });
}
