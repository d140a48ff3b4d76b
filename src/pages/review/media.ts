// Pictures and videos of a package, linked by their relative paths; other files by name.
import { isArtifactPath } from '../../evidence/artifactPath.js';
import type { ArtifactManifestJson } from '../../evidence/models/artifactManifest.js';
import { type Html, html, raw } from '../html.js';
import { href } from '../markup.js';

export type ArtifactEntry = ArtifactManifestJson['artifacts'][number];

const pictures = /\.(png|jpe?g|gif|webp|avif)$/i;
const videos = /\.(webm|mp4)$/i;

export function isPicture({ path }: ArtifactEntry): boolean {
  return pictures.test(path) && isArtifactPath(path);
}

export function isVideo({ path }: ArtifactEntry): boolean {
  return videos.test(path) && isArtifactPath(path);
}

export function claimsOf({ proofTarget, covers }: ArtifactEntry): string[] {
  return [...new Set([...(covers ?? []), ...(proofTarget ? [proofTarget] : [])])];
}

/** A path of a package that leads out of it is shown and not followed. */
export function fileLink(path: string, words = path): Html {
  return isLinkable(path) ? html`<a href="${raw(href(path))}">${words}</a>` : html`<code>${path}</code>`;
}

function isLinkable(path: string): boolean {
  return !/^([\\/]|[A-Za-z]:)|(^|[\\/])\.\.([\\/]|$)/.test(path);
}

export function figure(artifact: ArtifactEntry): Html {
  const { path, label, nodeId } = artifact;
  const words = label ?? path;
  const source = raw(href(path));
  const shown = isVideo(artifact)
    ? html`<video controls preload="metadata" src="${source}" aria-label="${words}"></video>`
    : html`<a href="${source}"><img loading="lazy" decoding="async" src="${source}" alt="${words}"></a>`;
  const claims = claimsOf(artifact);
  return html`<figure>${shown}<figcaption>${words}${nodeId ? html` <span class="dim">by ${nodeId}</span>` : ''}${claims.map((id) => html` <span class="tag">◆ ${id}</span>`)}</figcaption></figure>`;
}
