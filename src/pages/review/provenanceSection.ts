// Where the evidence comes from, and the digests that hold it together.
import { commitText } from '../../evidence/commitText.js';
import type { SummaryJson } from '../../evidence/models/summary.js';
import { type Html, html } from '../html.js';
import { type ArtifactEntry, fileLink } from './media.js';
import { inlineValue } from './valueText.js';

const mostFiles = 1_000;

export function provenanceSection(summary: SummaryJson, artifacts: readonly ArtifactEntry[]): Html {
  const files = artifacts.slice(0, mostFiles).map(fileRow);
  const left =
    artifacts.length > mostFiles
      ? html`<p class="note">${artifacts.length - mostFiles} more files are in ${fileLink('artifact-manifest.json')}.</p>`
      : '';
  return html`<section id="provenance" aria-labelledby="provenance-h"><h2 id="provenance-h">Provenance and digests</h2>
<dl class="facts">${factsOf(summary).map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>
<p>Whether all of this is what the run left behind: <code>recipewright verify</code> with the directory of this page. The digest of the whole package is in ${fileLink('summary.json')}.</p>
<div class="scroll" tabindex="0" role="group" aria-label="Files of the package"><table><thead><tr><th scope="col">File</th><th scope="col">What it is</th><th scope="col">Bytes</th><th scope="col">SHA-256</th></tr></thead><tbody>${files}</tbody></table></div>${left}</section>`;
}

function factsOf(summary: SummaryJson): [string, string][] {
  const { run, recipe, tree_digest, host, harness, runner, inputs = {} } = summary;
  const named = (part: { name?: string | undefined; version?: string | undefined } | undefined): string =>
    [part?.name, part?.version].filter(Boolean).join(' ');
  const facts: [string, string | undefined][] = [
    ['Recipe', recipe?.id],
    ['Recipe digest', recipe?.digest],
    ['Run', run],
    ['Commit', commitText(summary)],
    ['Tree digest', tree_digest],
    ['Host', named(host)],
    ['Written by', named(harness)],
    ['Runner', runner && `${named(runner)} ${runner.source} ${runner.git_ref}`.trim()],
    ...Object.entries(inputs).map(([name, { value, origin }]): [string, string] => [
      `Input ${name}`,
      `${inlineValue(value)} (${origin})`,
    ]),
  ];
  return facts.flatMap(([name, value]) => (value ? [[name, value] as [string, string]] : []));
}

function fileRow({ path, label, type, size, sha256 }: ArtifactEntry): Html {
  return html`<tr><th scope="row">${fileLink(path)}</th><td>${label ?? type}</td><td class="number">${size ?? ''}</td><td><code class="digest">${sha256 ?? 'not recorded'}</code></td></tr>`;
}
