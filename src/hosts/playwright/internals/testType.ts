export type TestType = {
  fixtures?: { fixtures?: object }[];
  _currentSuite?(place: object, title: string): { _type?: unknown } | undefined;
  _createTest?(kind: 'default' | 'skip', place: object, title: string, details: object, body: unknown): void;
};
export const testTypes = new WeakMap<object, TestType>();
export function findTestType(test: object): TestType {
  const before = testTypes.get(test);
  if (before) return before;
  const [symbol] = Object.getOwnPropertySymbols(test).filter(({ description }) => description === 'testType');
  const found = (symbol && (test as Record<symbol, TestType>)[symbol]) ?? {};
  testTypes.set(test, found);
  return found;
}
export const fixtureNamesByTest = new WeakMap<object, ReadonlySet<string>>();
/** The names of a test's fixtures; undefined when they cannot be told. */

export function readFixtureNames(test: object): ReadonlySet<string> | undefined {
  const { fixtures } = findTestType(test);
  if (!Array.isArray(fixtures)) return undefined;
  const found = fixtureNamesByTest.get(test) ?? new Set(fixtures.flatMap(({ fixtures: own = {} }) => Object.keys(own)));
  fixtureNamesByTest.set(test, found);
  return found;
}
/** Whether tests are being declared inside of test.describe(); false when that cannot be told. */

export function isInDescribe(test: object): boolean {
  return findTestType(test)._currentSuite?.({}, 'recipes()')?._type === 'describe';
}
/** Names the test file that is being loaded, for reports that show the name instead of the place. It stays as it is when that cannot be done. */

export function setTestFileTitle(test: object, title: string): void {
  const suite = findTestType(test)._currentSuite?.({}, 'recipes()') as { _type?: unknown; title?: unknown } | undefined;
  if (suite?._type === 'file' && typeof suite.title === 'string') suite.title = title;
}
export type TestDeclaration = {
  kind: 'default' | 'skip';
  place: { file: string; line: number; column: number };
  title: string;
  details: object;
};
/** Declares a test at a place without a look at the stack, which costs more than all the rest; false when that cannot be done. */

export function createTest(test: object, { kind, place, title, details }: TestDeclaration, body: unknown): boolean {
  const type = findTestType(test);
  if (type._createTest?.length !== 5) return false;
  type._createTest(kind, { ...place }, title, details, body);
  return true;
}
