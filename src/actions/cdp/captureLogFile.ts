// Something long that a node recorded, kept as a file beside the trace: a log, and no picture of the product.

import type { Capture } from '../../evidence/journal.js';
import type { ActionContext } from '../action.js';

export type LogFile = { folder: string; ending: string; label: string; body: Uint8Array };

export function captureLogFile({ path, node }: ActionContext, { folder, ending, label, body }: LogFile): Capture {
  const { proofTarget } = node;
  return {
    path: `${folder}/${path.replace(/[^\w.-]/g, '-')}.${ending}`,
    ...{ type: 'log', category: 'diagnostic', label, mimeType: 'application/json', body },
    ...(proofTarget === undefined ? {} : { proofTarget }),
  };
}
