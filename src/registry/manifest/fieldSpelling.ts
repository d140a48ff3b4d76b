// The manifest's own fields in another spelling: what they declare would be passed over without a word.
import { nearest } from '../../document/nearest.js';
import { joinPointer } from '../../document/pointer.js';
import { fieldCasing } from '../../evidence/models/fieldCasing.js';
import type { Report } from './manifestRules.js';
import { classicManifestModel } from './model.js';

const known = Object.keys(classicManifestModel.shape);

/** Gives the fields that were meant. What is like none of the protocol's is metadata of the project. */
export function fieldSpelling(manifest: unknown, report: Report): Set<string> {
  const found = new Set<string>();
  if (typeof manifest !== 'object' || manifest === null || Array.isArray(manifest)) return found;
  for (const name of Object.keys(manifest).filter((field) => !known.includes(field))) {
    const path = joinPointer('', name);
    const casing = fieldCasing(name, known);
    const meant = casing?.meant ?? nearest(name, known);
    if (meant === undefined || (!casing && Object.hasOwn(manifest, meant))) continue;
    found.add(meant);
    if (casing) report({ code: 'action_manifest.field_casing', path, message: casing.message, hint: casing.hint });
    else reportSlip({ name, meant, path }, report);
  }
  return found;
}

type Slip = { name: string; meant: string; path: string };

function reportSlip({ name, meant, path }: Slip, report: Report): void {
  const message = `There is no field ${JSON.stringify(name)} in an action manifest.`;
  const severity = isOneSlip(name, meant) ? 'error' : 'warning';
  report({ code: 'action_manifest.unknown_field', severity, path, message, hint: `Did you mean ${JSON.stringify(meant)}?` });
}

/** One letter too many, too few or wrong, or two changed places: nobody names a field of their own like that. */
function isOneSlip(name: string, meant: string): boolean {
  let start = 0;
  while (start < meant.length && name[start] === meant[start]) start++;
  let end = 0;
  while (end < Math.min(name.length, meant.length) - start && name.at(-1 - end) === meant.at(-1 - end)) end++;
  const [wrong, right] = [name.slice(start, name.length - end), meant.slice(start, meant.length - end)];
  return Math.max(wrong.length, right.length) <= 1 || (right.length === 2 && wrong === `${right[1]}${right[0]}`);
}
