// Requests that do not get through.
import type { Route } from '@playwright/test';

export type NetworkBlock = {
  url: string;
  refused: number;
  matches(url: URL): boolean;
  refuse(route: Route): Promise<void>;
};

/** `url` is a part of the address; a star in it stands for anything. */
export function createNetworkBlock(url: string): NetworkBlock {
  const matchesUrl = createUrlMatcher(url);
  const block: NetworkBlock = {
    url,
    refused: 0,
    matches: ({ href }) => matchesUrl(href),
    async refuse(route) {
      block.refused++;
      // The page that asked may be gone meanwhile.
      await route.abort('blockedbyclient').catch(() => undefined);
    },
  };
  return block;
}

/** Whether an address has this part; the parts between stars come in their order. */
export function createUrlMatcher(part: string): (url: string) => boolean {
  const pieces = part.split('*').filter(Boolean);
  return (url) => {
    let from = 0;
    return pieces.every((piece) => {
      const at = url.indexOf(piece, from);
      from = at + piece.length;
      return at !== -1;
    });
  };
}
