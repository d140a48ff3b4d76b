// Claim by claim: the verdict, the assertions it rests on, what can be seen of it.
import type { SummaryJson } from '../../evidence/models/summary.js';
import { type Html, html, raw } from '../html.js';
import { anchor } from '../markup.js';
import { assertionList } from './assertionList.js';
import type { Assertion, Entries } from './gatherEntries.js';
import { type ArtifactEntry, claimsOf, fileLink, isPicture, isVideo } from './media.js';
import { pictures } from './pictures.js';
import { sayStatus } from './words.js';

type Proof = NonNullable<SummaryJson['proof']>[number];

const mostShown = 10;

export function claimsSection(proof: readonly Proof[], { assertions }: Entries, artifacts: readonly ArtifactEntry[]): Html {
  if (proof.length === 0)
    return html`<section id="claims" aria-labelledby="claims-h"><h2 id="claims-h">Claims</h2><p>The recipe claims nothing: it is a smoke test.</p></section>`;
  const rows = proof.map((claim) =>
    row(
      claim,
      assertions.get(claim.id) ?? [],
      artifacts.filter((artifact) => claimsOf(artifact).includes(claim.id)),
    ),
  );
  return html`<section id="claims" aria-labelledby="claims-h"><h2 id="claims-h">Claims</h2>
<div class="scroll" tabindex="0" role="group" aria-labelledby="claims-h"><table><thead><tr><th scope="col">Claim</th><th scope="col">Verdict</th><th scope="col">Assertions</th><th scope="col">Evidence</th></tr></thead><tbody>${rows}</tbody></table></div></section>`;
}

function row({ id, claim, status, reason }: Proof, made: readonly Assertion[], artifacts: readonly ArtifactEntry[]): Html {
  const { sign, word, tone } = sayStatus(status);
  const media = artifacts.filter((artifact) => isPicture(artifact) || isVideo(artifact));
  const others = artifacts.filter((artifact) => !media.includes(artifact));
  const [shownMedia, shownOthers] = [media.slice(0, 2 * mostShown), others.slice(0, mostShown)];
  return html`<tr id="${raw(anchor('claim', id))}"><th scope="row"><a class="tag" href="#${raw(anchor('claim', id))}">◆ ${id}</a> ${claim}</th>
<td><span class="badge ${tone}">${sign} ${word}</span>${reason ? html`<p class="dim">${reason}</p>` : ''}</td>
<td>${assertionsOf(made)}</td>
<td>${pictures(shownMedia)}${shownOthers.map(({ path }) => html`<p>${fileLink(path)}</p>`)}${more(artifacts.length - shownMedia.length - shownOthers.length)}${artifacts.length === 0 ? html`<span class="dim">none</span>` : ''}</td></tr>`;
}

function assertionsOf(made: readonly Assertion[]): Html {
  if (made.length === 0) return html`<span class="dim">none evaluated</span>`;
  const failedFirst = [...made.filter(({ held }) => !held), ...made.filter(({ held }) => held)];
  const byNode = new Map<string, Assertion[]>();
  for (const one of failedFirst.slice(0, mostShown)) byNode.set(one.nodeId, [...(byNode.get(one.nodeId) ?? []), one]);
  const groups = [...byNode].map(
    ([nodeId, own]) => html`<div class="from"><a href="#${raw(anchor('n', nodeId))}">${nodeId}</a>${assertionList(own)}</div>`,
  );
  return html`${groups}${more(made.length - mostShown)}`;
}

function more(count: number): Html | undefined {
  return count > 0 ? html`<p class="dim">and ${count} more, in the timeline</p>` : undefined;
}
