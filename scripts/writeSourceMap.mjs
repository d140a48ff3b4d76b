// Writes the map of the source into CONTRIBUTING.md: node scripts/writeSourceMap.mjs
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from './run.mjs';
import { sourceMap } from './sourceMap.mjs';

const marks = ['<!-- source map: begin -->', '<!-- source map: end -->'];

/** Returns `text` with the map between its two marks. */
export function withSourceMap(text) {
  const [begin, end] = marks.map((mark) => text.indexOf(mark));
  if (begin < 0 || end < begin) throw new Error(`CONTRIBUTING.md lacks the lines ${marks.join(' and ')}.`);
  const rows = sourceMap.map(({ folder, owns, imports }) => `| \`${folder}\` | ${owns} | ${imports.map(shorten).join(' ')} |`);
  const table = ['| folder | owns | may import |', '|---|---|---|', ...rows].join('\n');
  return `${text.slice(0, begin)}${marks[0]}\n${table}\n${text.slice(end)}`;
}

function shorten(folder) {
  return folder.replace(/^src\//, '');
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const file = path.join(root, 'CONTRIBUTING.md');
  writeFileSync(file, withSourceMap(readFileSync(file, 'utf8')));
}
