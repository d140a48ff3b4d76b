// Types of the parts of chrome-remote-interface that are used here. The package has none of its own.
declare module 'chrome-remote-interface' {
  import type { EventEmitter } from 'node:events';

  export type Client = EventEmitter & {
    send(method: string, params: object, sessionId?: string): Promise<object>;
    close(): Promise<void>;
  };

  export default function connect(options: { target: string; protocol: object }): Promise<Client>;
}
