// Generates secrets like those of people and programs. Every run gets the same ones.
import fc from 'fast-check';
import { findWeakness } from '../../../src/secrets/secretFragments.js';

const letters = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';
const symbols = ` !"#$%&'()*+,-./:;<=>?@[\\]^_\`{|}~`;

const of = (characters: string) => fc.constantFrom(...characters);
const texts = (unit: fc.Arbitrary<string>, minLength = 8) =>
  fc.array(unit, { minLength, maxLength: 32 }).map((units) => units.join(''));

/** The characters that encoders treat most differently. */
const hard = `\\"'$ &<>%/+\`aB`;

/** Tokens, pass phrases with many symbols, and words of other alphabets, without white space around them. */
export const secretValue: fc.Arbitrary<string> = fc
  .oneof(
    texts(of(letters)),
    texts(of(letters + symbols)),
    texts(of(hard)),
    texts(of(`${letters}äöüßéñçøżЖДЮλπ漢字かな😀${symbols}`)),
  )
  .filter((value) => value.trim() === value && findWeakness(value) === undefined);

export function generatedSecrets(count: number, seed = 41): string[] {
  return fc.sample(secretValue, { numRuns: count, seed });
}
