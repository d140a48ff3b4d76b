// recipewright compare: names exactly what changed, and exits with 1 when a claim got worse.
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { compareAnswer } from '../../../src/cli/compare.js';
import type { PackageComparison } from '../../../src/review/compare/comparePackages.js';
import { compareTraces } from '../../../src/review/compare/compareTraces.js';
import { formatComparison } from '../../../src/review/compare/formatComparison.js';
import { directory, jsonIn, makeForeign, write } from '../evidence/packages.js';
import { richPackage, richRecipe, runIn } from '../evidence/richPackage.js';

const regressed = JSON.parse(JSON.stringify(richRecipe).replaceAll('"contains":"kept"', '"contains":"gone"'));

const claims = (document: unknown) =>
  (document as PackageComparison).runs.flatMap((run) => run.claims.map(({ id, change }) => [id, change]));

describe('recipewright compare', () => {
  test('compare finds no change between a package and its copy', async () => {
    const [{ dir: before }, { dir: after }] = [await richPackage(), await richPackage()];
    const { exitCode, text, document } = compareAnswer([before, after], {});
    expect(exitCode).toBe(0);
    expect(text).toMatch(/^No claim changed \(1 compared\)\n\nVerdict: pass → pass, \d+ ms → \d+ ms\n$/);
    expect(document).toMatchObject({
      isWorse: false,
      runs: [{ trace: { onlyBefore: [], onlyAfter: [], results: [], outputs: [], times: [] }, pictures: [] }],
    });
  });

  test('compare names the claim that a planted regression broke, and the node', async () => {
    const { dir: before } = await richPackage();
    const after = await runIn(directory(), regressed);
    const { exitCode, text, document } = compareAnswer([before, after], {});
    expect(exitCode).toBe(1);
    expect(claims(document)).toEqual([['AC1', 'worse']]);
    expect(text).toMatch(/^Worse: 1 of 1 claims got worse\n/);
    expect(text).toContain('  worse: AC1, proven → refuted: The notes are kept.\n');
    expect(text).toContain('  check: passed → failed\n');
    expect(text).toContain('  ran only before: done\n');
  });

  test('compare exits with 0 when the regression is in the earlier package', async () => {
    const { dir } = await richPackage();
    expect(compareAnswer([await runIn(directory(), regressed), dir], {})).toMatchObject({
      exitCode: 0,
      text: expect.stringMatching(/^Better: 1 of 1/),
    });
  });

  test('compare counts a removed proven claim as worse, but not a new claim', async () => {
    const [{ dir: before }, { dir: after }] = [await richPackage(), await richPackage()];
    makeForeign(after, { proof: [{ id: 'AC2', claim: 'Another.', status: 'unproven' }] });
    expect(compareAnswer([before, after], {})).toMatchObject({ exitCode: 1 });
    expect(claims(compareAnswer([before, after], {}).document)).toEqual([
      ['AC1', 'removed'],
      ['AC2', 'added'],
    ]);
    expect(compareAnswer([after, before], {})).toMatchObject({ exitCode: 0 });
  });

  test.for<[what: string, recipe: unknown, headline: string, exitCode: number, tone: string]>([
    ['is refuted', regressed, 'Worse: 1 of 1 claims is new and refuted', 1, 'bad'],
    ['is proven', richRecipe, 'Better: 1 of 1 claims got better', 0, 'good'],
  ])('compare judges a new recipe by its result when its claim %s', async ([, recipe, headline, exitCode, tone]) => {
    const [before, after] = [directory(), directory()];
    cpSync(await runIn(directory(), recipe), join(after, 'x'), { recursive: true });
    write(before, 'suite.json', { resolutions: [] });
    write(after, 'suite.json', { resolutions: [{ id: 'x', kind: 'verdict' }] });
    const html = join(after, 'page.html');
    const { text, ...rest } = compareAnswer([before, after], { html });
    expect(rest).toMatchObject({ exitCode, document: { isWorse: exitCode === 1 } });
    expect(text.split('\n', 1)).toEqual([headline]);
    expect(readFileSync(html, 'utf8')).toContain(`<td class="${tone}">added</td>`);
  });

  test('compare does not count a new unproven claim as better', async () => {
    const [{ dir: before }, { dir: after }] = [await richPackage(), await richPackage()];
    makeForeign(before, { proof: [] });
    makeForeign(after, { proof: [{ id: 'AC1', claim: 'Another.', status: 'unproven' }] });
    expect(compareAnswer([before, after], {}).text).toMatch(/^No claim got better or worse \(1 compared\)\n/);
  });

  test('compare exits with 1 when a recipe without claims no longer passes', async () => {
    const [{ dir: before }, { dir: after }] = [await richPackage(), await richPackage()];
    for (const [dir, status] of [
      [before, 'pass'],
      [after, 'unknown'],
    ] as const)
      makeForeign(dir, { status, proof: [] });
    expect(compareAnswer([before, after], {})).toMatchObject({
      exitCode: 1,
      text: expect.stringMatching(/^Worse: a run that passed/),
    });
  });

  test.for(['fail', 'unknown'] as const)(
    'compare exits with 1 for a new recipe without claims whose run is %s',
    async (status) => {
      const [before, after] = [directory(), directory()];
      cpSync((await richPackage()).dir, join(after, 'x'), { recursive: true });
      makeForeign(join(after, 'x'), { status, proof: [] });
      write(before, 'suite.json', { resolutions: [] });
      write(after, 'suite.json', { resolutions: [{ id: 'x', kind: 'verdict' }] });
      const { exitCode, text, document } = compareAnswer([before, after], {});
      expect(exitCode).toBe(1);
      expect(text).toMatch(new RegExp(`^Worse: a new run does not pass\n\nx: did not run → ${status}\n`));
      expect(document.runs).toMatchObject([{ name: 'x', isWorse: true }]);
      // Removing a run that did not pass makes nothing worse.
      expect(compareAnswer([after, before], {})).toMatchObject({ exitCode: 0 });
    },
  );

  test('compare compares suites recipe by recipe, removed recipes included', async () => {
    const [before, after] = [directory(), directory()];
    const { dir } = await richPackage();
    const worse = await runIn(directory(), regressed);
    cpSync(dir, join(before, 'a'), { recursive: true });
    cpSync(dir, join(before, 'b'), { recursive: true });
    cpSync(worse, join(after, 'a'), { recursive: true });
    const suite = (ids: string[]) => ({
      resolutions: [
        ...ids.map((id) => ({ id, kind: 'verdict' })),
        { id: '../../etc', kind: 'verdict' },
        { id: 'c', kind: 'not_executed' },
      ],
    });
    write(before, 'suite.json', suite(['a', 'b']));
    write(after, 'suite.json', suite(['a']));
    const { exitCode, text } = compareAnswer([before, after], { markdown: true });
    expect(exitCode).toBe(1);
    expect(text).toMatch(/^## Worse: 2 of 2 claims got worse\n\n### a: pass → fail/);
    expect(text).toContain('### b: pass → did not run\n');
    expect(text).not.toContain('etc');
  });

  const forgeries: [what: string, forge: (dir: string) => void][] = [
    ['nothing else changed', () => {}],
    ['no journal', (dir) => rmSync(join(dir, 'journal.jsonl'))],
    ['an empty journal', (dir) => writeFileSync(join(dir, 'journal.jsonl'), '')],
  ];
  test.for(forgeries)('compare does not trust a package with a forged summary (%s)', async ([, forge]) => {
    const [before, after] = [await runIn(directory(), regressed), await runIn(directory(), regressed)];
    const { proof, ...summary } = jsonIn(after, 'summary.json');
    write(after, 'summary.json', { ...summary, status: 'pass', proof: [{ ...proof[0], status: 'proven' }] });
    forge(after);
    const html = join(directory(), 'page.html');
    const { exitCode, text } = compareAnswer([before, after], { html });
    expect(exitCode).toBe(1);
    expect(text).toMatch(/^Worse: 1 of the packages is not intact\n/);
    expect(text).toMatch(/^ {2}not intact, after: the evidence does not hold: ./m);
    expect(readFileSync(html, 'utf8')).toContain('<p class="error">Not intact: the evidence does not hold: ');
    expect(compareAnswer([after, before], {})).toMatchObject({ exitCode: 1 });
  });

  test('compare reports that a package of another runner cannot be verified', async () => {
    const [{ dir: before }, { dir: after }] = [await richPackage(), await richPackage()];
    makeForeign(after);
    const { exitCode, text } = compareAnswer([before, after], {});
    // The package has lost the journal that verified it.
    expect(exitCode).toBe(1);
    expect(text).toContain('  not verified, after: the package has no journal, so it cannot be verified\n');
    expect(text).not.toContain('before:');
    makeForeign(before);
    expect(compareAnswer([before, after], {})).toMatchObject({
      exitCode: 0,
      text: expect.stringContaining('not verified, before: the package has no journal'),
    });
  });

  describe('the Markdown comment', () => {
    const claim = (id: string, change: 'same' | 'worse' | 'better', words = 'A claim.') =>
      ({ id, claim: words, before: 'proven', after: 'refuted', change }) as const;
    const run = (name: string, change: 'same' | 'worse' | 'better', words?: string) => {
      const summary = { status: 'pass', reason: '', durationMs: 1 };
      return {
        name,
        before: summary,
        after: summary,
        isWorse: change === 'worse',
        claims: [claim('AC1', change, words)],
        pictures: [],
      };
    };

    test('the Markdown comment counts unchanged runs and names the others, the worse ones first', () => {
      const runs = [run('kept', 'same'), run('risen', 'better'), run('other', 'same'), run('fallen', 'worse')];
      const text = formatComparison({ isWorse: true, runs }, 'markdown');
      expect(text).toMatch(/^## Worse: 1 of 4 claims got worse\n\n2 of 4 runs did not change\.\n\n### fallen: .*\n### risen: /s);
      expect(text).not.toMatch(/kept|other/);
      expect(formatComparison({ isWorse: true, runs }, 'text')).toContain('\nkept: pass → pass');
    });

    test('the Markdown comment has a size limit, reports omitted lines and omits what got worse last', () => {
      const better = Array.from({ length: 1_000 }, (_, index) => run(`run ${index}`, 'better', '@'.repeat(100)));
      const text = formatComparison({ isWorse: true, runs: [...better, run('fallen', 'worse')] }, 'markdown');
      expect(text.length).toBeLessThanOrEqual(60_000);
      expect(text.length).toBeGreaterThan(55_000);
      expect(text).toContain('### fallen: ');
      expect(text).toMatch(/\n\n\d+ more lines are omitted\. Use --html to see all of them\.\n$/);
      const huge = formatComparison({ isWorse: true, runs: [run('fallen', 'worse', 'x'.repeat(100_000))] }, 'markdown');
      expect(huge).toMatch(/^## Worse: 1 of 1 claims got worse\n.*\n1 more lines are omitted/s);
    });
  });

  test('compare escapes text of a recipe that a CI or a page would interpret', async () => {
    const [{ dir: before }, { dir: after }] = [await richPackage(), await richPackage()];
    const proof = [{ id: '::error::x', claim: '[x](javascript:1) <img> @team !#12 &#64;x\n::error::y', status: 'refuted' }];
    write(after, 'summary.json', { ...jsonIn(after, 'summary.json'), status: 'fail', reason: '::error::z\u001b[2J', proof });
    const plain = compareAnswer([before, after], {}).text;
    expect(plain).not.toMatch(/^\s*::/m);
    expect(plain).not.toContain('\u001b');
    const markdown = compareAnswer([before, after], { markdown: true }).text;
    expect(markdown).toContain('\\[x\\]\\(javascript:1\\) &lt;img&gt; @&#8203;team \\!#&#8203;12 &amp;#&#8203;64;x');
  });

  test.for<[what: string, dirs: (dir: string) => string[], options: object, message: RegExp]>([
    ['one directory', (dir) => [dir], {}, /compare needs two directories, .* but it got 1/],
    ['three directories', (dir) => [dir, dir, dir], {}, /but it got 3/],
    ['a directory that does not exist', (dir) => [dir, join(dir, 'none')], {}, /There is no directory .*none/],
    [
      'a directory that is not a package',
      (dir) => [dir, dir],
      {},
      /is not an evidence package: The package has no summary\.json/,
    ],
    [
      'a page in a directory that does not exist',
      (dir) => [dir, dir],
      { html: '/no/such/place/a.html' },
      /is not an evidence package|There is no directory/,
    ],
    ['two formats', (dir) => [dir, dir], { json: true, markdown: true }, /Remove --markdown or --json/],
  ])('compare refuses %s', ([, dirs, options, message]) => {
    expect(() => compareAnswer(dirs(directory()), options)).toThrow(message);
  });

  test.for([null, 7, 'a', {}, { id: 1, kind: 'verdict' }])('compare refuses a suite index whose entry is %j', (one) => {
    const dir = directory();
    write(dir, 'suite.json', { resolutions: [{ id: 'c', kind: 'not_executed' }, one] });
    expect(() => compareAnswer([dir, dir], {})).toThrow(/suite\.json is not a valid suite index: \/resolutions\/1 needs "id"/);
  });

  const traceWith = (output: unknown) => [{ nodeId: 'open', action: 'ui.navigate', ok: true, output }];
  const changed = (before: unknown, after: unknown) => compareTraces(traceWith(before), traceWith(after)).outputs.length;

  test.for([
    ['http://127.0.0.1:41233/cart', 'http://127.0.0.1:50001/cart'],
    ['http://localhost:3000/', 'http://localhost:3001/'],
    ['ready on localhost:3000', 'ready on localhost:13000'],
    ['/login?next=http%3A%2F%2Flocalhost%3A3000%2F', '/login?next=http%3A%2F%2Flocalhost%3A3001%2F'],
    ['http://[::1]:1/', 'http://[::1]:2/'],
  ])('compare ignores the port of a local server: %s, %s', ([before, after]) => {
    expect(changed({ url: before, list: [before] }, { url: after, list: [after] })).toBe(0);
  });

  test.for([
    ['http://127.0.0.1:41233/cart', 'http://127.0.0.1:41233/till'],
    ['http://127.0.0.1:1/cart', 'http://127.0.0.1:2/till'],
    ['http://shop.example:1/', 'http://shop.example:2/'],
    ['http://notlocalhost:1/', 'http://notlocalhost:2/'],
    ['http://localhost:1/', 'http://127.0.0.1:1/'],
    ['took 127.0.0.1 3', 'took 127.0.0.1 4'],
  ])('compare reports any other change of a URL: %s, %s', ([before, after]) => {
    expect(changed({ url: before }, { url: after })).toBe(1);
  });
});
