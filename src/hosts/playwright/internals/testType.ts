// Declares tests at places in documents, through the internal object behind Playwright's `test`.
// https://github.com/microsoft/playwright/blob/v1.65.0/packages/playwright/src/common/testType.ts (TestTypeImpl)
// https://github.com/microsoft/playwright/blob/v1.65.0/packages/playwright/src/common/fixtures.ts (fixtureParameterNames)
// If Playwright changes them, a test gets its place from the stack, its file keeps its default title, and Playwright reports missing fixtures.
import { runInThisContext } from 'node:vm';
import type { TestInfo } from '@playwright/test';
import type { Place } from '../../../document/finding.js';
import { compileAt } from './shortStack.js';

type TestTypeImpl = {
  fixtures?: { fixtures?: object }[];
  _currentSuite?(location: object, title: string): CurrentSuite | undefined;
  _createTest?(kind: TestKind, location: object, title: string, details: object, body: unknown): void;
};

type CurrentSuite = { _type?: unknown; title?: unknown };

type TestKind = 'default' | 'skip';

const testTypes = new WeakMap<object, TestTypeImpl>();

function findTestType(test: object): TestTypeImpl {
  const cached = testTypes.get(test);
  if (cached) return cached;
  const [symbol] = Object.getOwnPropertySymbols(test).filter(({ description }) => description === 'testType');
  const testType = (symbol && (test as Record<symbol, TestTypeImpl>)[symbol]) ?? {};
  testTypes.set(test, testType);
  return testType;
}

/** Returns the suite that Playwright is loading. */
function findCurrentSuite(test: object): CurrentSuite | undefined {
  return findTestType(test)._currentSuite?.({}, 'recipes()');
}

const fixtureNamesByTest = new WeakMap<object, ReadonlySet<string>>();

/** Returns undefined if this version of Playwright does not expose the names. */
export function readFixtureNames(test: object): ReadonlySet<string> | undefined {
  const { fixtures } = findTestType(test);
  if (!Array.isArray(fixtures)) return undefined;
  const names = fixtureNamesByTest.get(test) ?? new Set(fixtures.flatMap(({ fixtures: added = {} }) => Object.keys(added)));
  fixtureNamesByTest.set(test, names);
  return names;
}

/** Whether tests are being declared in test.describe(). Returns false if this version of Playwright does not expose that. */
export function isInDescribe(test: object): boolean {
  return findCurrentSuite(test)?._type === 'describe';
}

/** Sets the title of the test file that is being loaded. Some reports show the title instead of the path. */
export function setTestFileTitle(test: object, title: string): void {
  const suite = findCurrentSuite(test);
  if (suite?._type === 'file' && typeof suite.title === 'string') suite.title = title;
}

export type TestDeclaration = {
  kind: TestKind;
  place: Place;
  title: string;
  details: object;
  /** The fixtures that the body gets. */
  fixtures: readonly string[];
};

type TestBody = (fixtures: Record<string, unknown>, testInfo: TestInfo) => Promise<void>;

export function declareTestAt(test: object, { kind, place, title, details, fixtures }: TestDeclaration, body: TestBody): void {
  const testFunction = createTestFunction(fixtures.join(', '), body);
  const testType = findTestType(test);
  // Declaring a test through its stack takes longer than all other work for the test.
  if (testType._createTest?.length === 5) {
    const { file, line, column } = place;
    testType._createTest(kind, { file, line, column }, title, details, testFunction);
    return;
  }
  const declare = kind === 'skip' ? (test as { skip?: unknown }).skip : test;
  const declareAtPlace = compileAt<(...args: unknown[]) => void>(
    place,
    '(declare, title, details, body) =>',
    'declare(title, details, body)',
  );
  declareAtPlace(declare, title, details, testFunction);
}

type CreateTestFunction = (run: TestBody) => object;

const testFunctionCreators = new Map<string, CreateTestFunction>();

// Playwright reads the fixtures of a test from the source of its function. The source is compiled once for all tests with the same fixtures.
function createTestFunction(names: string, body: TestBody): object {
  const source = `(run) => async ({ ${names} }, testInfo) => run({ ${names} }, testInfo)`;
  const create = testFunctionCreators.get(names) ?? (runInThisContext(source) as CreateTestFunction);
  testFunctionCreators.set(names, create);
  return create(body);
}
