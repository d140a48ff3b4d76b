// Stores a recording of a node, such as a HAR file, as a log in the package. A log does not count as evidence.

import type { Capture } from '../../evidence/journal.js';
import type { ActionContext } from '../action.js';

export type LogFile = { folder: string; extension: string; label: string; body: Uint8Array };

export function captureLogFile({ path, node }: ActionContext, { folder, extension, label, body }: LogFile): Capture {
  const { proofTarget } = node;
  return {
    path: `${folder}/${path.replace(/[^\w.-]/g, '-')}.${extension}`,
    ...{ type: 'log', category: 'diagnostic', label, mimeType: 'application/json', body },
    ...(proofTarget === undefined ? {} : { proofTarget }),
  };
}
