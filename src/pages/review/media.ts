// Renders pictures and videos of a package, and links to its other files.

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

/** Renders a link to a file of the package. A path outside the package is shown without a link. */
export function fileLink(path: string, text = path): Html {
  return isLinkable(path) ? html`<a href="${raw(href(path))}">${text}</a>` : html`<code>${path}</code>`;
}

function isLinkable(path: string): boolean {
  return !/^([\\/]|[A-Za-z]:)|(^|[\\/])\.\.([\\/]|$)/.test(path);
}

/** `hud`: a picture of the same moment that shows the HUD. */
type Shot = { entry: ArtifactEntry; hud?: ArtifactEntry | undefined };

/** Renders pictures. Those that belong together share a figure: before and after a step (with a slider), with and without the HUD. */
export function pictureFigures(media: readonly ArtifactEntry[]): Html[] {
  const byPath = new Map(media.map((entry) => [entry.path, entry]));
  const shots = media.filter((entry) => !isHudPicture(entry, byPath)).map((entry) => shotOf(entry, byPath));
  const shotByPath = new Map(shots.map((shot) => [shot.entry.path, shot]));
  const rendered = new Set<Shot>();
  return shots.flatMap((shot) => {
    if (rendered.has(shot)) return [];
    const after = isPicture(shot.entry) ? shotByPath.get(shot.entry.path.replace(/-before(\.\w+)$/, '-after$1')) : undefined;
    if (!after || after === shot || after.entry.nodeId !== shot.entry.nodeId) return [singleFigure(shot)];
    rendered.add(after);
    return [sliderFigure(shot, after)];
  });
}

export function hasHud(media: readonly ArtifactEntry[]): boolean {
  const byPath = new Map(media.map((entry) => [entry.path, entry]));
  return media.some((entry) => isHudPicture(entry, byPath));
}

type ByPath = ReadonlyMap<string, ArtifactEntry>;

function isHudPicture({ path }: ArtifactEntry, byPath: ByPath): boolean {
  const plainPath = path.replace(/-hud(\.\w+)$/, '$1');
  return plainPath !== path && byPath.has(plainPath);
}

function shotOf(entry: ArtifactEntry, byPath: ByPath): Shot {
  const hud = byPath.get(entry.path.replace(/(\.\w+)$/, '-hud$1'));
  return { entry, hud: hud && isPicture(hud) ? hud : undefined };
}

function singleFigure({ entry, hud }: Shot): Html {
  const source = raw(href(entry.path));
  if (isVideo(entry))
    return html`<figure><video controls preload="metadata" src="${source}" aria-label="${entry.label ?? entry.path}"></video>${caption(entry)}</figure>`;
  if (!hud) return html`<figure><a href="${source}">${image(entry)}</a>${caption(entry)}</figure>`;
  return html`<figure><a href="${source}" class="plain">${image(entry)}</a><a href="${raw(href(hud.path))}" class="hud">${image(hud)}</a>${caption(entry)}</figure>`;
}

function sliderFigure(before: Shot, after: Shot): Html {
  const label = before.entry.label?.replace(/^Before: /, '') ?? before.entry.path;
  const links = [before, after].flatMap(({ entry, hud }) => [entry, ...(hud ? [hud] : [])]);
  const names = links.map(
    ({ path }) => html`<a href="${raw(href(path))}">${path.replace(/^.*-(before|after)/, '$1').replace(/\.\w+$/, '')}</a> `,
  );
  return html`<figure class="pair"><div class="slide"><div>${layers(before)}</div><div class="later">${layers(after)}</div></div>
<label class="range"><span>Before</span><input type="range" min="0" max="100" value="50" aria-label="How much of the picture before is visible: ${label}"><span>After</span></label>${caption(before.entry, html`${label} <span class="dim">${names}</span>`)}</figure>`;
}

function layers({ entry, hud }: Shot): Html {
  return hud ? html`<span class="plain">${image(entry)}</span><span class="hud">${image(hud)}</span>` : image(entry);
}

function image({ path, label }: ArtifactEntry): Html {
  return html`<img loading="lazy" decoding="async" src="${raw(href(path))}" alt="${label ?? path}">`;
}

function caption(entry: ArtifactEntry, text?: Html): Html {
  const claims = claimsOf(entry).map((id) => html` <span class="tag">◆ ${id}</span>`);
  return html`<figcaption>${text ?? entry.label ?? entry.path}${entry.nodeId ? html` <span class="dim">by ${entry.nodeId}</span>` : ''}${claims}</figcaption>`;
}
