// Removes undefined values, because `exactOptionalPropertyTypes` distinguishes them from missing ones.
export type WithoutUndefined<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

export function omitUndefined<T extends object>(values: T): WithoutUndefined<T> {
  const result: WithoutUndefined<T> = {};
  for (const key in values) if (values[key] !== undefined) result[key] = values[key] as WithoutUndefined<T>[typeof key];
  return result;
}
