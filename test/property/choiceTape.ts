// The random choices of a test come from a short list of numbers that is read again and again, so that fast-check shrinks a failure to a
// few choices.
import fc from 'fast-check';

export class Tape {
  private at = 0;
  constructor(private readonly numbers: readonly number[]) {}

  below(limit: number): number {
    const number = this.numbers[this.at++ % this.numbers.length] ?? 0;
    return number % limit;
  }

  oneOf<T>(choices: readonly T[]): T {
    return choices[this.below(choices.length)] as T;
  }
}

export const tapes = fc.array(fc.nat(9999), { minLength: 1, maxLength: 60, size: 'max' });
