// Blocks requests by a part of their URL.
import type { Route } from '@playwright/test';

export type NetworkBlock = {
  url: string;
  refused: number;
  matches(url: URL): boolean;
  refuse(route: Route): Promise<void>;
};

/** `url`: a part of the URLs to block, in which `*` stands for any text. */
export function createNetworkBlock(url: string): NetworkBlock {
  const matchesUrl = createUrlMatcher(url);
  const block: NetworkBlock = {
    url,
    refused: 0,
    matches: ({ href }) => matchesUrl(href),
    async refuse(route) {
      block.refused++;
      // The page may be closed by now.
      await route.abort('blockedbyclient').catch(() => undefined);
    },
  };
  return block;
}

/** `part` may contain `*`, which stands for any text. */
export function createUrlMatcher(part: string): (url: string) => boolean {
  const pieces = part.split('*').filter(Boolean);
  return (url) => {
    let start = 0;
    return pieces.every((piece) => {
      const index = url.indexOf(piece, start);
      start = index + piece.length;
      return index !== -1;
    });
  };
}
