/** Connections through a forward proxy. `programs.ts` makes `fetch` of a whole process use it. */
export { ProxyError, type ProxyErrorCode } from './proxy-error';
export { useProxies, withProxyName } from './programs';
export { formatAuthority, parseProxy, type ForwardProxy } from './proxy-settings';
export { createSocketAgent } from './socket-agent';
export { openTunnel } from './tunnel';
