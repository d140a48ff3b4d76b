/** Letters a and b in no order, the same each time: a matcher finds no state of its own again. */
export function randomText(length: number): string {
  let seed = 1;
  return Array.from({ length }, () => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7fffffff;
    return 'ab'[(seed >> 16) & 1];
  }).join('');
}
