// The colours of a graph in the light and the dark theme. The contrast to the background is at least 4.5 for text and 3 for lines.
// The CSS uses no variables, because some SVG viewers do not support them.
type Palette = {
  ground: string;
  lane: string;
  box: string;
  line: string;
  text: string;
  soft: string;
  claim: string;
  pass: string;
  fail: string;
  warn: string;
};

const light: Palette = {
  ground: '#ffffff',
  lane: '#f5f6f8',
  box: '#ffffff',
  line: '#7d8694',
  text: '#1c2430',
  soft: '#5a6575',
  claim: '#5b3fb0',
  pass: '#1a7f4b',
  fail: '#c2303c',
  warn: '#8a5a00',
};

const dark: Palette = {
  ground: '#12161c',
  lane: '#191e26',
  box: '#222933',
  line: '#788494',
  text: '#e8ebf0',
  soft: '#a3adbb',
  claim: '#b9a5ff',
  pass: '#56c98a',
  fail: '#ff8088',
  warn: '#e5b35a',
};

export const graphPalettes: Readonly<Record<'light' | 'dark', Palette>> = { light, dark };

export const graphStyle = `${rulesFor(light)}@media (prefers-color-scheme:dark){${rulesFor(dark)}}@media print{${rulesFor(light)}}`;

function rulesFor(colours: Palette): string {
  const { ground, lane, box, line, text, soft, claim, pass, fail, warn } = colours;
  const signs = { pass, fail, soft: warn, run: warn, skip: soft, none: line };
  return [
    `.g-ground{fill:${ground}}.g-lane{fill:${lane}}.g-rule{stroke:${line};stroke-width:1}.g-heading{fill:${text}}.g-hint{fill:${soft}}`,
    `.g-box{fill:${box};stroke:${line};stroke-width:1.25}.g-case{fill:${ground};stroke:${line};stroke-width:1}`,
    `.g-title{fill:${text}}.g-meta,.g-note{fill:${soft}}.g-claim{fill:${claim}}.g-result{fill:${soft}}`,
    `.g-proof .g-box{stroke:${claim};stroke-width:2}`,
    `.g-edge{fill:none;stroke:${line};stroke-width:1.5}.g-arrow{fill:${line}}`,
    // Edges that the run did not take are dashed and thin, because a paler colour has too little contrast.
    `.g-ran .g-edge{stroke-width:1;stroke-dasharray:3 5}`,
    `.g-ran .g-edge.g-taken{stroke:${text};stroke-width:2.25;stroke-dasharray:none}.g-ran .g-arrow.g-taken{fill:${text}}`,
    ...Object.entries(signs).map(
      ([name, colour]) => `.g-${name} .g-sign{fill:${colour}}.g-${name} .g-result{fill:${name === 'none' ? soft : colour}}`,
    ),
    `.g-fail .g-box{stroke:${fail};stroke-width:2}.g-run .g-box{stroke:${warn};stroke-width:3}.g-none .g-box{stroke-dasharray:5 4;fill:${ground}}`,
    `.g-none .g-title{fill:${soft}}.g-glyph{fill:${ground}}`,
    `.g-node:focus-visible .g-box{stroke:${claim};stroke-width:4}`,
  ].join('');
}
