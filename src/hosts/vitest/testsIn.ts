// Which tests a document holds, told from its text alone: whether it is valid is found out when they run.
import { basename } from 'node:path';
import type { Place } from '../../document/finding.js';
import { oneLine } from '../../document/printFinding.js';
import type { Document } from '../../document/readDocument.js';

export type DeclaredTest = { title: string; tags: string[]; place: Place };

export function testsIn(document: Document): DeclaredTest[] {
  const { title, proofTargets } = document.value as { title?: unknown; proofTargets?: unknown };
  const ids = (Array.isArray(proofTargets) ? proofTargets : []).map((target: { id?: unknown } | null) => target?.id);
  const named = typeof title === 'string' && title.trim() !== '';
  return [
    {
      title: oneLine(named ? title : basename(document.file)),
      tags: ['recipe', ...ids.filter((id): id is string => typeof id === 'string')].map((tag) => tag.replace(/\s+/g, '-')),
      place: document.place(named ? '/title' : ''),
    },
  ];
}
