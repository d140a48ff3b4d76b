// Declares tests at places in documents, through the object behind Playwright's `test`.
// https://github.com/microsoft/playwright/blob/v1.65.0/packages/playwright/src/common/testType.ts (TestTypeImpl)
// https://github.com/microsoft/playwright/blob/v1.65.0/packages/playwright/src/common/fixtures.ts (fixtureParameterNames)
// Without them, a test gets its place from the stack, its file keeps its own title, and missing fixtures are reported by Playwright.
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

/** The suite that is being loaded. */
function findCurrentSuite(test: object): CurrentSuite | undefined {
  return findTestType(test)._currentSuite?.({}, 'recipes()');
}

const fixtureNamesByTest = new WeakMap<object, ReadonlySet<string>>();

/** Undefined if Playwright does not tell the names. */
export function readFixtureNames(test: object): ReadonlySet<string> | undefined {
  const { fixtures } = findTestType(test);
  if (!Array.isArray(fixtures)) return undefined;
  const names = fixtureNamesByTest.get(test) ?? new Set(fixtures.flatMap(({ fixtures: added = {} }) => Object.keys(added)));
  fixtureNamesByTest.set(test, names);
  return names;
}

/** Whether tests are being declared inside test.describe(); false if Playwright does not tell. */
export function isInDescribe(test: object): boolean {
  return findCurrentSuite(test)?._type === 'describe';
}

/** Gives the test file that is being loaded a title, for reports that show it instead of the path. */
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
  // The declaration of a test through its stack costs more than everything else that is done for it.
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

// Playwright reads the fixtures of a test from the text of its function. The text is compiled once for all tests with the same fixtures.
function createTestFunction(names: string, body: TestBody): object {
  const text = `(run) => async ({ ${names} }, testInfo) => run({ ${names} }, testInfo)`;
  const create = testFunctionCreators.get(names) ?? (runInThisContext(text) as CreateTestFunction);
  testFunctionCreators.set(names, create);
  return create(body);
}
