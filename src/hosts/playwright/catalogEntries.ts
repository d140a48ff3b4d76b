// The tests of a flow catalog: one for each example, at its own line.
import { basename } from 'node:path';
import type { LoadedCatalog, LoadedFlow } from '../../check/loadCatalog.js';
import { hasErrors, type Place } from '../../document/finding.js';
import { includesLine, type LineRange } from '../../document/lineRange.js';
import { oneLine } from '../../document/printFinding.js';
import { recipeId } from '../../evidence/runIdentity.js';
import { type Entry, flowTag, invalidEntry, recipeTag } from './entry.js';
import { lineAskedFor } from './internals.js';
import { fixturesFor, withFixtures } from './missingFixtures.js';
import type { TestingHost } from './recipeHost.js';

/** An example that has no number: the flow, or the catalog, as a whole. */
const whole = -1;

export function catalogEntries(file: string, { flows, findings }: LoadedCatalog, host: TestingHost): Entry[] {
  const id = recipeId(file, host.project.projectRoot).replace(/\.json$/, '');
  if (findings.length > 0) {
    const title = `${basename(file)} is a valid flow catalog`;
    return [{ ...invalidEntry({ id, file }, findings), title, flow: { id: '', index: whole } }];
  }
  const asked = lineAskedFor(file);
  return flows.flatMap((flow) => flowEntries(flow, { file, id: `${id}/${encodeURIComponent(flow.id)}`, asked, host }));
}

type Around = { file: string; id: string; asked: number | undefined; host: TestingHost };

function flowEntries(flow: LoadedFlow, around: Around): Entry[] {
  const { id, file, asked } = around;
  const named = { flow: { id: flow.id, index: whole } };
  if (flow.findings.length > 0)
    return [
      { ...invalidEntry({ id, file }, flow.findings), ...named, title: oneLine(`${flow.id} is a valid flow`), tags: flowTags },
    ];
  if (flow.examples.length > 0) return exampleEntries(flow, around);
  const place = placeIn(flow, asked);
  return [{ id, file, ...named, title: oneLine(flow.id), place, tags: flowTags, claims: [], fixtures: [], skip: noExamples }];
}

const flowTags = [recipeTag, flowTag];
const noExamples = 'The flow has no examples: write one under "examples", and it is run.';

function exampleEntries(flow: LoadedFlow, { file, id, asked, host }: Around): Entry[] {
  // A line of the flow that is of no example asks for all of them.
  const isForAll = includesLine(flow, asked) && !flow.examples.some((example) => includesLine(example, asked));
  return flow.examples.map((example, index): Entry => {
    const { loaded, findings } = withFixtures(example, host);
    const own = { id: `${id}-${index + 1}`, file, flow: { id: flow.id, index }, title: oneLine(example.title) };
    if (!loaded || hasErrors(findings)) return { ...invalidEntry(own, findings), ...own, tags: flowTags };
    const place = placeIn(isForAll ? { ...flow, place: { ...example.place, line: flow.place.line } } : example, asked);
    return { ...own, place, tags: flowTags, claims: [], fixtures: fixturesFor(loaded, host) };
  });
}

// Playwright wants the very line of a test: any line of what it stands for is taken for it.
function placeIn(stretch: LineRange, asked: number | undefined): Place {
  return includesLine(stretch, asked) ? { file: stretch.place.file, line: asked, column: 1 } : stretch.place;
}
