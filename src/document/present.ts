// An object without its undefined values, which `exactOptionalPropertyTypes` tells apart from missing ones.
export type Present<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

export function present<T extends object>(values: T): Present<T> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Present<T>;
}
