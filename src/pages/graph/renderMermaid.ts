// Renders boards as Mermaid text, which GitHub and many editors can draw.
import { escapeInvisible } from '../html.js';
import { type Board, type BoardNode, lanes } from './board.js';
import { describeVisits, type VisitSign, visitSign } from './boxText.js';
import { isEdgeTaken, type PathTaken, type Visits } from './pathTaken.js';

export function renderMermaid(boards: readonly Board[], taken?: PathTaken): string {
  const text = new MermaidText(taken);
  for (const [index, board] of boards.entries()) text.add(board, index);
  return text.end();
}

const classStyles: Readonly<Record<VisitSign | 'proof', string>> = {
  pass: 'stroke:#1a7f4b,stroke-width:2px',
  fail: 'stroke:#c2303c,stroke-width:3px',
  soft: 'stroke:#8a5a00,stroke-width:2px',
  run: 'stroke:#8a5a00,stroke-width:3px',
  skip: 'stroke:#8a93a0,stroke-dasharray:2 2',
  none: 'stroke:#8a93a0,stroke-dasharray:5 4',
  proof: 'stroke:#5b3fb0,stroke-width:2px',
};

class MermaidText {
  private readonly lines = ['flowchart TD'];
  private readonly ids = new Map<BoardNode, string>();
  private readonly used = new Set<string>();
  private readonly visitsOf: (node: BoardNode) => Visits | undefined;

  constructor(private readonly taken: PathTaken | undefined) {
    this.visitsOf = (node) => taken?.visitsOf(node.plan);
  }

  add(board: Board, index: number): void {
    this.lines.push(`  subgraph b${index}["${escapeMermaid(board.title)}"]`);
    const drawnNodes = [...board.nodes.values()].filter(({ kind }) => kind !== 'case');
    for (const [lane, title] of lanes) {
      const members = drawnNodes.filter((node) => node.lane === lane);
      if (members.length === 0) continue;
      this.lines.push(
        `    subgraph b${index}_${lane}["${title}"]`,
        ...members.map((node) => `      ${this.box(node)}`),
        '    end',
      );
    }
    for (const edge of board.edges) this.addEdge(board, edge);
    this.lines.push('  end');
  }

  end(): string {
    const classes = [...this.used].sort().map((name) => `  classDef ${name} ${classStyles[name as keyof typeof classStyles]}`);
    return `${[...this.lines, ...classes].join('\n')}\n`;
  }

  private box(node: BoardNode): string {
    const { kind, title, id, action, claims } = node;
    const labelLines = [
      title,
      `${id} · ${action}`,
      ...node.notes.filter((note) => note.startsWith('▸')),
      ...(claims.length > 0 ? [`◆ proves ${claims.join(', ')}`] : []),
      ...(this.taken ? [describeVisits(this.visitsOf(node))] : []),
    ];
    const label = labelLines.map(escapeMermaid).join('<br/>');
    const name = this.taken ? visitSign(this.visitsOf(node)) : claims.length > 0 ? 'proof' : undefined;
    if (name) this.used.add(name);
    const [open, close] = kind === 'end' ? ['(["', '"])'] : ['["', '"]'];
    return `${this.idOf(node)}${open}${label}${close}${name ? `:::${name}` : ''}`;
  }

  // Mermaid has labels on edges, so a case becomes the label of one edge instead of a box between two edges.
  private addEdge(board: Board, edge: Board['edges'][number]): void {
    const [from, to] = [board.nodes.get(edge.from), board.nodes.get(edge.to)];
    if (!from || !to || to.kind === 'case') return;
    const source = from.kind === 'case' ? this.sourceOf(board, from) : from;
    if (!source) return;
    const arrow = this.taken && !isEdgeTaken(board, edge, this.visitsOf) ? '-.->' : '-->';
    const label = from.kind === 'case' ? `|"${escapeMermaid(from.title)}"|` : '';
    this.lines.push(`    ${this.idOf(source)} ${arrow}${label} ${this.idOf(to)}`);
  }

  private sourceOf({ nodes, edges }: Board, { key }: BoardNode): BoardNode | undefined {
    const from = edges.find(({ to }) => to === key)?.from;
    return from === undefined ? undefined : nodes.get(from);
  }

  private idOf(node: BoardNode): string {
    const known = this.ids.get(node) ?? `n${this.ids.size}`;
    this.ids.set(node, known);
    return known;
  }
}

// Mermaid interprets HTML and Markdown in labels, so every character that could begin one of them is written as a character code.
function escapeMermaid(text: string): string {
  return escapeInvisible(text)
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/[^\p{L}\p{N} .,:·◆▸_\-/?]/gu, (char) => `#${char.codePointAt(0)};`)
    .replace(/^(\d*)([.-])/, (_, digits: string, mark: string) => `${digits}#${mark.codePointAt(0)};`);
}
