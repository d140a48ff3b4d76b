// The colours of a graph, light and dark. Written out without variables: not every viewer of SVG knows those.
type Palette = {
  ground: string;
  lane: string;
  box: string;
  line: string;
  faint: string;
  text: string;
  soft: string;
  claim: string;
  pass: string;
  fail: string;
  warn: string;
};

const light: Palette = {
  ...{ ground: '#ffffff', lane: '#f5f6f8', box: '#ffffff', line: '#c3c9d2', faint: '#d9dde3' },
  ...{ text: '#1c2430', soft: '#5a6575', claim: '#5b3fb0', pass: '#1a7f4b', fail: '#c2303c', warn: '#8a5a00' },
};

const dark: Palette = {
  ...{ ground: '#12161c', lane: '#191e26', box: '#222933', line: '#4a5462', faint: '#333c48' },
  ...{ text: '#e8ebf0', soft: '#a3adbb', claim: '#b9a5ff', pass: '#56c98a', fail: '#ff8088', warn: '#e5b35a' },
};

export const graphPalettes: Readonly<Record<'light' | 'dark', Palette>> = { light, dark };

export const graphStyle = `${rulesFor(light)}@media (prefers-color-scheme:dark){${rulesFor(dark)}}@media print{${rulesFor(light)}}`;

function rulesFor(colours: Palette): string {
  const { ground, lane, box, line, faint, text, soft, claim, pass, fail, warn } = colours;
  const signs = { pass, fail, soft: warn, skip: soft, none: line };
  return [
    `.g-ground{fill:${ground}}.g-lane{fill:${lane}}.g-heading{fill:${text}}.g-hint{fill:${soft}}`,
    `.g-box{fill:${box};stroke:${line};stroke-width:1.25}.g-case{fill:${ground};stroke:${faint};stroke-width:1}`,
    `.g-title{fill:${text}}.g-meta,.g-note{fill:${soft}}.g-claim{fill:${claim}}.g-result{fill:${soft}}`,
    `.g-proof .g-box{stroke:${claim};stroke-width:2}`,
    `.g-edge{fill:none;stroke:${line};stroke-width:1.5}.g-arrow{fill:${line}}`,
    `.g-ran .g-edge{stroke:${faint};stroke-dasharray:4 4}.g-ran .g-arrow{fill:${faint}}`,
    `.g-ran .g-edge.g-taken{stroke:${soft};stroke-width:2;stroke-dasharray:none}.g-ran .g-arrow.g-taken{fill:${soft}}`,
    ...Object.entries(signs).map(
      ([name, colour]) => `.g-${name} .g-sign{fill:${colour}}.g-${name} .g-result{fill:${name === 'none' ? soft : colour}}`,
    ),
    `.g-fail .g-box{stroke:${fail};stroke-width:2}.g-none .g-box{stroke-dasharray:5 4;fill:${ground}}`,
    `.g-none .g-title{fill:${soft}}.g-glyph{fill:${ground}}`,
    `.g-node:focus-visible .g-box{stroke:${claim};stroke-width:4}`,
  ].join('');
}
