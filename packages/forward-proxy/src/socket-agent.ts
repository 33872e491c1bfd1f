import { Agent as HttpAgent, type ClientRequestArgs } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { Duplex } from 'node:stream';
import { findUsedProxy } from './programs';
import { formatAuthority } from './proxy-settings';
import { openTunnel } from './tunnel';

/**
 * Returns an agent for a WebSocket to a URL, which connects through the proxy that this process uses for it, or
 * undefined if there is none.
 * @throws ProxyError `ERR_PROXY_SETTING`
 */
export function createSocketAgent(target: string): HttpAgent | undefined {
  const proxy = findUsedProxy(target);
  if (!proxy) return undefined;
  const isSecure = new URL(target).protocol === 'https:';
  const agent = isSecure ? new HttpsAgent() : new HttpAgent();
  const startTls = agent.createConnection.bind(agent);
  agent.createConnection = (options, callback) => {
    openTunnel(proxy, formatAuthority(target)).then(
      (socket) => callback?.(null, isSecure ? startTls({ ...options, socket } as ClientRequestArgs)! : socket),
      // Node.js ignores the stream after an error.
      (error: Error) => callback?.(error, undefined as unknown as Duplex),
    );
    return undefined;
  };
  return agent;
}
