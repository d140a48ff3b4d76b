// Where a run stands: one line that changes in a terminal, plain lines anywhere else.
import { oneLine } from '../document/printFinding.js';

type Terminal = { isTTY?: boolean; columns?: number; write(text: string): unknown };

export function openProgress(stream: Terminal): { show(line: string): void; end(): void } {
  if (stream.isTTY !== true || process.env.CI)
    return { show: (line) => void stream.write(`${oneLine(line)}\n`), end: () => undefined };
  let shown = false;
  return {
    show(line) {
      const text = oneLine(line);
      const width = Math.max(20, stream.columns ?? 80) - 1;
      stream.write(`\r\u001b[2K${text.length > width ? `${text.slice(0, width - 1)}…` : text}`);
      shown = true;
    },
    end() {
      if (shown) stream.write('\r\u001b[2K');
    },
  };
}
