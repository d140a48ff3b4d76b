// An object without its undefined values, which `exactOptionalPropertyTypes` tells apart from missing ones.
export type Present<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

export function present<T extends object>(values: T): Present<T> {
  const kept: Present<T> = {};
  for (const key in values) if (values[key] !== undefined) kept[key] = values[key] as Present<T>[typeof key];
  return kept;
}
