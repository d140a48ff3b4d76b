// Everything that the sources, the tests and the documentation cite is in this repository: faults, sections of specifications, decisions, files and links.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));
const folders = [
  '.github',
  'bench',
  'decisions',
  'docs',
  'examples',
  'fixtures',
  'reporters',
  'schemas',
  'scripts',
  'src',
  'test',
];
/** The folders that runs and installations create. */
const generated = new Set(['node_modules', 'dist', 'recipe-results', 'test-results', 'playwright-report', 'generated']);

const read = (file: string): string => readFileSync(join(root, file), 'utf8');
const files = folders.flatMap(filesBelow);
const rootPages = readdirSync(root).filter((name) => name.endsWith('.md'));
const code = files.filter((file) => /\.(ts|mts|mjs|cjs|yml)$/.test(file));
/** The specifications come from other authors, and their links lead to pages of those authors. */
const specPages = files.filter((file) => file.startsWith('docs/specs/') && basename(file) !== 'README.md');
const pages = [...rootPages, ...files.filter((file) => file.endsWith('.md') && !specPages.includes(file))];

describe('the fault table in docs/reliability.md', () => {
  const rows = new Map(
    [...read('docs/reliability.md').matchAll(/^\| (F\d+) \|(.*)\| (.*?) \|$/gm)].map(([, fault = '', , tests = '']) => [
      fault,
      [...tests.matchAll(/`([^`]+)`/g)].map(([, file = '']) => file),
    ]),
  );

  test('the fault table numbers the faults from 1 without a gap', () => {
    expect([...rows.keys()]).toEqual(Array.from({ length: 60 }, (_, index) => `F${index + 1}`));
  });

  test('the fault table has a row for every fault that a test cites', () => {
    const cited = new Set(files.filter((file) => file.startsWith('test/') && file.endsWith('.ts')).flatMap(faultsIn));
    expect(cited.size).toBeGreaterThan(50);
    expect([...cited].filter((fault) => !rows.has(fault))).toEqual([]);
  });

  test.for([...rows])('the test files that the fault table lists for %s exist and cite that fault', ([fault, tests]) => {
    expect(tests).not.toEqual([]);
    expect(tests.filter((file) => !file.endsWith('.test.ts') || !existsSync(join(root, file)))).toEqual([]);
    expect(tests.filter((file) => !faultsIn(file).includes(fault))).toEqual([]);
  });
});

describe('the specifications in docs/specs', () => {
  const digests = [...read('docs/specs/README.md').matchAll(/^\| \[([^\]]+)\].*`([0-9a-f]{64})` \|$/gm)];

  test.for(digests.map(([, file = '', digest = '']) => [file, digest] as const))(
    'the specification %s is unchanged',
    ([file, digest]) => {
      expect(
        createHash('sha256')
          .update(readFileSync(join(root, 'docs/specs', file)))
          .digest('hex'),
      ).toBe(digest);
    },
  );

  test('the README in docs/specs lists every specification', () => {
    expect(digests.map(([, file]) => `docs/specs/${file}`).sort()).toEqual([...specPages].sort());
  });

  test('the specifications have every section that a source, a test or a page cites', () => {
    const sections = new Set(
      specPages.flatMap((file) => [...read(file).matchAll(/^(\d+(?:\.\d+)?)\.? [A-Z]/gm)].map(([, n]) => n)),
    );
    const cited = [...code, ...pages].flatMap((file) =>
      sectionsCitedIn(read(file)).map((section) => ({ file, section, exists: sections.has(section) })),
    );
    expect(cited.length).toBeGreaterThan(50);
    expect(cited.filter(({ exists }) => !exists)).toEqual([]);
  });
});

describe('decisions', () => {
  const records = files.filter((file) => file.startsWith('decisions/'));

  test('decisions are numbered from 001 without a gap, each with its number in the title', () => {
    const numbers = records.map((file) => basename(file).slice(0, 3)).sort();
    expect(numbers).toEqual(numbers.map((_, index) => String(index + 1).padStart(3, '0')));
    expect(records.filter((file) => !read(file).startsWith(`# ${basename(file).slice(0, 3)} `))).toEqual([]);
  });

  test('every decision that a source, a test or a page cites exists', () => {
    const cited = [...code, ...pages].flatMap((file) =>
      [...read(file).matchAll(/\bdecisions\/(\d{3})|\b[Dd]ecision (\d{3})\b/g)].map(([, a, b]) => ({
        file,
        number: a ?? b ?? '',
      })),
    );
    expect(cited.length).toBeGreaterThan(0);
    expect(cited.filter(({ number }) => !records.some((record) => basename(record).startsWith(number)))).toEqual([]);
  });

  test.for(records)('%s names only files that exist', (record) => {
    const names = [...read(record).matchAll(/`([\w.@/-]+\.(?:ts|mjs|cjs|json|md|yml))`/g)].map(([, name = '']) => name);
    const known = new Set(files.map((file) => basename(file)));
    const exists = (name: string): boolean =>
      name.includes('/') ? existsSync(join(root, name)) : known.has(name) || isWritten(name);
    expect(names.filter((name) => !exists(name))).toEqual([]);
  });
});

test.for(pages)('%s names only folders and files of the repository that exist', (page) => {
  const names = [...read(page).matchAll(/`([\w.-]+\/[\w./-]*)`/g)].map(([, name = '']) => name);
  const cited = names.filter((name) => folders.includes(name.split('/')[0] ?? '') && !isExample(name, page));
  expect(cited.filter((name) => !existsSync(join(root, name)))).toEqual([]);
});

test.for(pages)('every relative link in %s leads to an existing file and heading', (page) => {
  const links = [...withoutCode(read(page)).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link);
  const relativeLinks = links.filter((link) => !/^[a-z]+:/.test(link));
  expect(relativeLinks.filter((link) => !leadsSomewhere(page, link))).toEqual([]);
});

test('every page that a source or a test cites by its path exists', () => {
  const cited = code.flatMap((file) =>
    [...read(file).matchAll(/(?<![\w/.])(?:docs|decisions)\/[\w./-]+\.md\b/g)].map(([page]) => ({ file, page })),
  );
  expect(cited.length).toBeGreaterThan(5);
  expect(cited.filter(({ page }) => !existsSync(join(root, page)))).toEqual([]);
});

test('nothing cites a design or a reference that is not in the repository', () => {
  const cited = [...code, ...pages].filter(
    (file) => file !== 'test/unit/citations.test.ts' && /\bDESIGN\b|\bfaults\.md\b|\bhosts\.md\b/.test(read(file)),
  );
  expect(cited).toEqual([]);
});

function filesBelow(folder: string): string[] {
  if (!existsSync(join(root, folder))) return [];
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return generated.has(entry.name) ? [] : filesBelow(path);
    return entry.isFile() ? [path] : [];
  });
}

function faultsIn(file: string): string[] {
  return [...read(file).matchAll(/(?<![\w-])F\d{1,2}\b/g)].map(([fault]) => fault);
}

/** Finds `spec §5.1, §18` and a bare `§7`, but no sections of RFCs. */
function sectionsCitedIn(text: string): string[] {
  return [...text.matchAll(/(RFC \d+ )?§(\d+(?:\.\d+)?)/g)].flatMap(([, rfc, section = '']) => (rfc ? [] : [section]));
}

/** Whether runs or builds write a file with this name. */
function isWritten(name: string): boolean {
  return /^(recipe|workflow|summary|trace|artifact-manifest|suite|package)\.json$/.test(name);
}

/** Whether the path is an example from a reader's own project, as in the README and the pages for users. */
function isExample(name: string, page: string): boolean {
  return name.startsWith('dist/') || (name.startsWith('test/') && page === 'README.md');
}

function withoutCode(text: string): string {
  return text.replace(/^(`{3,})[\s\S]*?^\1/gm, '').replace(/`[^`\n]*`/g, '');
}

function leadsSomewhere(page: string, link: string): boolean {
  const [path = '', heading] = link.split('#');
  const target =
    path === ''
      ? page
      : relative(root, join(root, dirname(page), decodeURIComponent(path)))
          .split(sep)
          .join('/');
  if (!existsSync(join(root, target))) return false;
  return heading === undefined || headingsOf(read(target)).includes(heading);
}

/** Returns the anchors that GitHub creates for headings. */
function headingsOf(text: string): string[] {
  return [...withoutFences(text).matchAll(/^#+ (.+)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .trim()
      .replace(/\s/g, '-'),
  );
}

function withoutFences(text: string): string {
  return text.replace(/^(`{3,})[\s\S]*?^\1/gm, '');
}
