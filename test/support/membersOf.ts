/** Returns every member of a JSON value at any depth, as its parent object or list and its key. */
export function membersOf(root: unknown): [parent: Record<string, unknown>, key: string][] {
  const members: [Record<string, unknown>, string][] = [];
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    for (const key of Object.keys(value)) {
      members.push([value as Record<string, unknown>, key]);
      visit((value as Record<string, unknown>)[key]);
    }
  };
  visit(root);
  return members;
}

/** Sets a key as data, even the key `__proto__`. */
export function setMember(parent: object, key: string, value: unknown): void {
  Object.defineProperty(parent, key, { value, enumerable: true, configurable: true, writable: true });
}
