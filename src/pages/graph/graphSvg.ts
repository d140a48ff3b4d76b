// The whole picture: the boards one below the other, with a legend when there is a run to tell of.
import { label } from '../markup.js';
import type { Board } from './board.js';
import { type Drawing, type DrawOptions, drawBoard } from './drawBoard.js';
import { graphStyle } from './graphStyle.js';

const margin = 20;
const head = 34;
const boardGap = 28;
const font = 'system-ui,-apple-system,Segoe UI,Roboto,Helvetica,Arial,sans-serif';

export function graphSvg(boards: readonly Board[], options: DrawOptions = {}): string {
  const drawn = boards.map((board) => ({ board, ...drawBoard(board, options) }));
  const width = Math.max(320, ...drawn.map((drawing) => drawing.width)) + 2 * margin;
  let y = margin;
  const parts = drawn.map(({ board, ...drawing }) => {
    const part = `<g transform="translate(${margin} ${y})">${heading(board)}<g transform="translate(0 ${head})">${drawing.svg}</g></g>`;
    y += head + drawing.height + boardGap;
    return part;
  });
  return frame({ svg: parts.join(''), width, height: y - boardGap + margin }, boards[0]?.title ?? 'Recipe', options);
}

/** One board alone, for a page that has headings and a style of its own. */
export function boardSvg(board: Board, options: DrawOptions): string {
  const { svg, width, height } = drawBoard(board, options);
  return open({ svg, width, height }, `Graph of ${board.title}`, options);
}

function heading({ title, note }: Board): string {
  const more = note === undefined ? '' : `<tspan class="g-hint" font-size="12" font-weight="400" dx="10">${label(note)}</tspan>`;
  return `<text class="g-heading" x="0" y="18" font-size="16" font-weight="600">${label(title)}${more}</text>`;
}

function frame(drawing: Drawing, title: string, options: DrawOptions): string {
  const { svg, width, height } = drawing;
  const inner = `<style>${graphStyle}</style><rect class="g-ground" width="${width}" height="${height}"/>${svg}`;
  return `${open({ svg: inner, width, height }, `Graph of ${title}`, options)}\n`;
}

function open({ svg, width, height }: Drawing, title: string, { taken }: DrawOptions): string {
  const size = `width="${width}" height="${height}" viewBox="0 0 ${width} ${height}"`;
  const mark = taken ? ' class="g-ran"' : '';
  return `<svg xmlns="http://www.w3.org/2000/svg" ${size}${mark} font-family="${font}" role="group" aria-label="${label(title)}">${svg}</svg>`;
}
