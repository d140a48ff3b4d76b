/** Returns a pseudo-random string of a and b, always the same. It does not repeat, so a matcher cannot reuse cached states. */
export function randomText(length: number): string {
  let seed = 1;
  return Array.from({ length }, () => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7fffffff;
    return 'ab'[(seed >> 16) & 1];
  }).join('');
}
