// Pictures and videos of a package, linked by their relative paths; other files by name.

import type { ArtifactManifestJson } from '../../evidence/models/artifactManifestModel.js';
import { isArtifactPath } from '../../evidence/packageFiles.js';
import { type Html, href, html, raw } from '../html.js';

export type ArtifactEntry = ArtifactManifestJson['artifacts'][number];

const pictureFile = /\.(png|jpe?g|gif|webp|avif)$/i;
const videoFile = /\.(webm|mp4)$/i;

export function isPicture({ path }: ArtifactEntry): boolean {
  return pictureFile.test(path) && isArtifactPath(path);
}

export function isVideo({ path }: ArtifactEntry): boolean {
  return videoFile.test(path) && isArtifactPath(path);
}

export function claimsOf({ proofTarget, covers }: ArtifactEntry): string[] {
  return [...new Set([...(covers ?? []), ...(proofTarget ? [proofTarget] : [])])];
}

/** A path of a package that leads out of it is shown and not followed. */
export function fileLink(path: string, text = path): Html {
  return isLinkable(path) ? html`<a href="${raw(href(path))}">${text}</a>` : html`<code>${path}</code>`;
}

function isLinkable(path: string): boolean {
  return !/^([\\/]|[A-Za-z]:)|(^|[\\/])\.\.([\\/]|$)/.test(path);
}

function figure(artifact: ArtifactEntry): Html {
  const { path, label, nodeId } = artifact;
  const altText = label ?? path;
  const source = raw(href(path));
  const element = isVideo(artifact)
    ? html`<video controls preload="metadata" src="${source}" aria-label="${altText}"></video>`
    : html`<a href="${source}"><img loading="lazy" decoding="async" src="${source}" alt="${altText}"></a>`;
  const claims = claimsOf(artifact);
  return html`<figure>${element}<figcaption>${altText}${nodeId ? html` <span class="dim">by ${nodeId}</span>` : ''}${claims.map((id) => html` <span class="tag">◆ ${id}</span>`)}</figcaption></figure>`;
}

// Pictures that belong together as one: what was seen before and after a step under a slider, the same with and without the HUD.

/** `hud`: the same moment with the HUD over it. */
type Shot = { entry: ArtifactEntry; hud?: ArtifactEntry | undefined };

export function pictureFigures(media: readonly ArtifactEntry[]): Html[] {
  const byPath = new Map(media.map((entry) => [entry.path, entry]));
  const shots = media.filter((entry) => !isHudTwin(entry, byPath)).map((entry) => shotOf(entry, byPath));
  const byStem = new Map(shots.map((shot) => [shot.entry.path, shot]));
  const after = new Set<Shot>();
  return shots.flatMap((shot) => {
    if (after.has(shot)) return [];
    const later = isPicture(shot.entry) ? byStem.get(replaceEnding(shot.entry.path, /-before(\.\w+)$/, '-after$1')) : undefined;
    if (!later || later === shot || later.entry.nodeId !== shot.entry.nodeId) return [singleFigure(shot)];
    after.add(later);
    return [sliderFigure(shot, later)];
  });
}

export function hasHud(media: readonly ArtifactEntry[]): boolean {
  const byPath = new Map(media.map((entry) => [entry.path, entry]));
  return media.some((entry) => isHudTwin(entry, byPath));
}

type ByPath = ReadonlyMap<string, ArtifactEntry>;

function isHudTwin({ path }: ArtifactEntry, byPath: ByPath): boolean {
  const plain = replaceEnding(path, /-hud(\.\w+)$/, '$1');
  return plain !== path && byPath.has(plain);
}

function shotOf(entry: ArtifactEntry, byPath: ByPath): Shot {
  const hud = byPath.get(replaceEnding(entry.path, /(\.\w+)$/, '-hud$1'));
  return { entry, hud: hud && isPicture(hud) ? hud : undefined };
}

function replaceEnding(path: string, ending: RegExp, other: string): string {
  return path.replace(ending, other);
}

function singleFigure({ entry, hud }: Shot): Html {
  if (!hud) return figure(entry);
  return html`<figure><a href="${raw(href(entry.path))}" class="plain">${image(entry)}</a><a href="${raw(href(hud.path))}" class="hud">${image(hud)}</a>${caption(entry)}</figure>`;
}

function sliderFigure(before: Shot, after: Shot): Html {
  const words = before.entry.label?.replace(/^Before: /, '') ?? before.entry.path;
  const links = [before, after].flatMap(({ entry, hud }) => [entry, ...(hud ? [hud] : [])]);
  const names = links.map(
    ({ path }) => html`<a href="${raw(href(path))}">${path.replace(/^.*-(before|after)/, '$1').replace(/\.\w+$/, '')}</a> `,
  );
  return html`<figure class="pair"><div class="slide"><div>${layers(before)}</div><div class="later">${layers(after)}</div></div>
<label class="range"><span>Before</span><input type="range" min="0" max="100" value="50" aria-label="How much of before is shown: ${words}"><span>After</span></label>${caption(before.entry, html`${words} <span class="dim">${names}</span>`)}</figure>`;
}

function layers({ entry, hud }: Shot): Html {
  return hud ? html`<span class="plain">${image(entry)}</span><span class="hud">${image(hud)}</span>` : image(entry);
}

function image({ path, label }: ArtifactEntry): Html {
  return html`<img loading="lazy" decoding="async" src="${raw(href(path))}" alt="${label ?? path}">`;
}

function caption(entry: ArtifactEntry, words?: Html): Html {
  const claims = claimsOf(entry).map((id) => html` <span class="tag">◆ ${id}</span>`);
  return html`<figcaption>${words ?? entry.label ?? entry.path}${entry.nodeId ? html` <span class="dim">by ${entry.nodeId}</span>` : ''}${claims}</figcaption>`;
}
