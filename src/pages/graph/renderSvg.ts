// Renders boards one below the other in one SVG. Shows the result of a run, if the caller passes one.
import { anchor, escapeLabel, escapeMarkup } from '../html.js';
import type { Board, BoardNode } from './board.js';
import { type BoxText, boxPadding, boxText, isBold, lineHeight, type TextLine, visitSign } from './boxText.js';
import { graphStyle } from './graphStyle.js';
import { type Box, type LaneBox, type Layout, layoutBoard, type Point } from './layoutBoard.js';
import { isEdgeTaken, type PathTaken, type Visits } from './pathTaken.js';

const pageMargin = 20;
const boardHeadHeight = 34;
const boardGap = 28;
const font = 'system-ui,-apple-system,Segoe UI,Roboto,Helvetica,Arial,sans-serif';

export function renderSvg(boards: readonly Board[], options: DrawOptions = {}): string {
  const drawings = boards.map((board) => ({ board, ...drawBoard(board, options) }));
  const width = Math.max(320, ...drawings.map((drawing) => drawing.width)) + 2 * pageMargin;
  let y = pageMargin;
  const parts = drawings.map(({ board, ...drawing }) => {
    const part = `<g transform="translate(${pageMargin} ${y})">${boardHeading(board)}<g transform="translate(0 ${boardHeadHeight})">${drawing.svg}</g></g>`;
    y += boardHeadHeight + drawing.height + boardGap;
    return part;
  });
  return svgDocument({ svg: parts.join(''), width, height: y - boardGap + pageMargin }, boards[0]?.title ?? 'Recipe', options);
}

/** Renders one board without heading and style, for a page that has both already. */
export function renderBoardSvg(board: Board, options: DrawOptions): string {
  const { svg, width, height } = drawBoard(board, options);
  return svgElement({ svg, width, height }, `Graph of ${board.title}`, options);
}

function boardHeading({ title, note }: Board): string {
  const noteSpan =
    note === undefined ? '' : `<tspan class="g-hint" font-size="12" font-weight="400" dx="10">${escapeLabel(note)}</tspan>`;
  return `<text class="g-heading" x="0" y="18" font-size="16" font-weight="600">${escapeLabel(title)}${noteSpan}</text>`;
}

function svgDocument(drawing: Drawing, title: string, options: DrawOptions): string {
  const { svg, width, height } = drawing;
  const inner = `<style>${graphStyle}</style><rect class="g-ground" width="${width}" height="${height}"/>${svg}`;
  return `${svgElement({ svg: inner, width, height }, `Graph of ${title}`, options)}\n`;
}

function svgElement({ svg, width, height }: Drawing, title: string, { taken }: DrawOptions): string {
  const size = `width="${width}" height="${height}" viewBox="0 0 ${width} ${height}"`;
  const mark = taken ? ' class="g-ran"' : '';
  return `<svg xmlns="http://www.w3.org/2000/svg" ${size}${mark} font-family="${font}" role="group" aria-label="${escapeLabel(title)}">${svg}</svg>`;
}

type DrawOptions = {
  taken?: PathTaken | undefined;
  /** Whether nodes link to their entries in the timeline of the same page. */
  linked?: boolean | undefined;
};

type Drawing = { svg: string; width: number; height: number };

const laneHeadHeight = 30;

function drawBoard(board: Board, { taken, linked = false }: DrawOptions): Drawing {
  const visitsOf = (node: BoardNode): Visits | undefined => taken?.visitsOf(node.plan);
  const hasRun = taken !== undefined;
  const texts = new Map([...board.nodes].map(([key, node]) => [key, boxText(node, visitsOf(node), hasRun)]));
  const layout = layoutBoard(board, new Map([...texts].map(([key, { height }]) => [key, height])));
  const top = layout.lanes.length > 1 ? laneHeadHeight : 0;
  const edges = layout.lines.map(({ edge, points }) =>
    drawEdge(points, { isTaken: isEdgeTaken(board, edge, visitsOf), hasArrow: endsInArrow(board, edge.to) }),
  );
  const nodes = [...board.nodes.values()].map((node) =>
    drawNode(node, { ...requireLayout(layout, texts, node.key), visits: visitsOf(node), hasRun, linked }),
  );
  const body = `<g transform="translate(0 ${top})">${edges.join('')}${nodes.join('')}</g>`;
  return { svg: `${drawLanes(layout, top)}${body}`, width: layout.width, height: layout.height + top };
}

function requireLayout(layout: Layout, texts: ReadonlyMap<string, BoxText>, key: string): { box: Box; text: BoxText } {
  const [box, text] = [layout.boxes.get(key), texts.get(key)];
  if (!box || !text) throw new Error(`The layout of the graph has no box for the node ${key}. This is a bug in recipewright.`);
  return { box, text };
}

function drawLanes({ lanes, headings, height }: Layout, top: number): string {
  if (top === 0) return '';
  // The titles are left of the middle, because vertical lines run there.
  const drawHeadings = ({ title, x }: LaneBox): string =>
    headings
      .map(
        (y) =>
          `<text class="g-hint" x="${x + 10}" y="${y + top + 18}" font-size="11" font-weight="600">${escapeMarkup(title)}</text>`,
      )
      .join('');
  const draw = (lane: LaneBox): string => {
    const { title, x, width } = lane;
    return (
      `<rect class="g-lane" x="${x}" y="0" width="${width}" height="${height + top}" rx="8"/>` +
      `<path class="g-rule" d="M${x + 8} 28h${width - 16}"/>` +
      `<text class="g-heading" x="${x + width / 2}" y="20" font-size="12" font-weight="600" text-anchor="middle">${escapeMarkup(title)}</text>${drawHeadings(lane)}`
    );
  };
  return lanes.map(draw).join('');
}

function endsInArrow({ nodes }: Board, to: string): boolean {
  return nodes.get(to)?.kind !== 'case';
}

function drawEdge(points: readonly Point[], { isTaken, hasArrow }: { isTaken: boolean; hasArrow: boolean }): string {
  const mark = isTaken ? ' g-taken' : '';
  const end = points.at(-1) ?? { x: 0, y: 0 };
  const tip = hasArrow ? `<path class="g-arrow${mark}" d="M${end.x - 5} ${end.y - 8}h10l-5 8z"/>` : '';
  return `<path class="g-edge${mark}" d="${roundedPath(points)}"/>${tip}`;
}

const cornerRadius = 6;

function roundedPath(points: readonly Point[]): string {
  return points
    .map((point, index) => {
      const [before, after] = [points[index - 1], points[index + 1]];
      if (!before) return `M${point.x} ${point.y}`;
      if (!after) return `L${point.x} ${point.y}`;
      const [start, end] = [pointTowards(point, before), pointTowards(point, after)];
      return `L${start.x} ${start.y}Q${point.x} ${point.y} ${end.x} ${end.y}`;
    })
    .join('');
}

function pointTowards(from: Point, to: Point): Point {
  const [dx, dy] = [to.x - from.x, to.y - from.y];
  const length = Math.max(Math.abs(dx), Math.abs(dy));
  const part = length === 0 ? 0 : Math.min(cornerRadius, length / 2) / length;
  return { x: from.x + dx * part, y: from.y + dy * part };
}

type NodeDrawing = { box: Box; text: BoxText; visits: Visits | undefined; hasRun: boolean; linked: boolean };

function drawNode(node: BoardNode, { box, text, visits, hasRun, linked }: NodeDrawing): string {
  const isCase = node.kind === 'case';
  const sign = hasRun && !isCase ? visitSign(visits) : undefined;
  const classes = ['g-node', ...(sign ? [`g-${sign}`] : []), ...(node.claims.length > 0 ? ['g-proof'] : [])];
  const round = node.kind === 'node' ? 8 : Math.min(22, box.height / 2);
  const shape = `<rect class="${isCase ? 'g-case' : 'g-box'}" x="${box.x}" y="${box.y}" width="${box.width}" height="${box.height}" rx="${round}"/>`;
  const inner = `<title>${escapeLabel(nodeTooltip(node))}</title>${shape}${drawText(text, box, node.kind !== 'node')}${drawSign(sign, box)}`;
  const path = visits?.firstFailed ?? visits?.first;
  if (linked && path !== undefined && !isCase) return `<a class="${classes.join(' ')}" href="#${anchor('n', path)}">${inner}</a>`;
  // A node that the run did not reach has no entry, so it cannot be a link, but keyboard users must be able to focus it.
  const focusable = linked && !isCase ? ` tabindex="0" role="img" aria-label="${escapeLabel(nodeTooltip(node))}"` : '';
  return `<g class="${classes.join(' ')}"${focusable}>${inner}</g>`;
}

function nodeTooltip({ title, id, action, notes, claims }: BoardNode): string {
  const head = action === '' ? title : `${title} · ${id} · ${action}`;
  return [head, ...notes, ...(claims.length > 0 ? [`proves ${claims.join(', ')}`] : [])].join(' · ');
}

function drawText({ lines }: BoxText, box: Box, isCentred: boolean): string {
  let y = box.y + boxPadding.y - 4;
  const x = isCentred ? box.x + box.width / 2 : box.x + boxPadding.x;
  const draw = (line: TextLine): string => {
    y += lineHeight(line);
    const weight = isBold(line.style) ? ' font-weight="600"' : '';
    const middle = isCentred ? ' text-anchor="middle"' : '';
    return `<text class="g-${line.style}" x="${x}" y="${Math.round(y)}" font-size="${line.size}"${weight}${middle}>${escapeMarkup(line.text)}</text>`;
  };
  return lines.map(draw).join('');
}

const signGlyphs: Readonly<Record<string, string>> = { pass: '✓', fail: '✗', skip: '–', soft: '!', run: '…' };

function drawSign(sign: string | undefined, { x, y, width }: Box): string {
  const glyph = sign === undefined ? undefined : signGlyphs[sign];
  if (glyph === undefined) return '';
  const [cx, cy] = [x + width - 18, y + 18];
  return `<circle class="g-sign" cx="${cx}" cy="${cy}" r="8"/><text class="g-glyph" x="${cx}" y="${cy + 4}" font-size="11" font-weight="700" text-anchor="middle">${glyph}</text>`;
}
