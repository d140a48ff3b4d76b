/** Throws when a rule does not hold. Much faster than `expect`, because one run checks hundreds of rules. */
export function assertRule(holds: boolean, rule: string): void {
  if (!holds) throw new Error(`Expected: ${rule}.`);
}
