/** Playwright's own WebSocket client, for which the package has no types. */
declare module 'playwright-core/lib/utilsBundle' {
  import type { EventEmitter } from 'node:events';
  export const ws: {
    prototype: EventEmitter & { send: (this: EventEmitter, text: string, ...options: unknown[]) => void };
  };
}
