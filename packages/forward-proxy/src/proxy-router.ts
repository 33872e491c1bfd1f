import { isIP } from 'node:net';
import type { Dispatcher as DispatcherTypes } from 'undici';
import buildConnector from 'undici/lib/core/connect.js';
import Agent from 'undici/lib/dispatcher/agent.js';
import Dispatcher from 'undici/lib/dispatcher/dispatcher.js';
import { setGlobalDispatcher } from 'undici/lib/global.js';
import DecoratorHandler from 'undici/lib/handler/decorator-handler.js';
import { findProxy, formatAuthority, toHost, type ForwardProxy } from './proxy-settings';
import { createRefusalError, openTunnel, toProxyError } from './tunnel';

type Connector = ReturnType<typeof buildConnector>;
type RequestHeaders = DispatcherTypes.DispatchOptions['headers'];

/** Makes `fetch` of this process send each request through the proxy for its URL. */
export function installProxyRouter(): void {
  setGlobalDispatcher(new ProxyRouter());
}

/** Dispatcher that sends each request directly or through the proxy for its URL. */
class ProxyRouter extends Dispatcher {
  private readonly direct = new Agent();
  private readonly proxied = new Map<string, DispatcherTypes>();

  override dispatch(options: DispatcherTypes.DispatchOptions, handler: DispatcherTypes.DispatchHandler): boolean {
    const { protocol, origin } = new URL(String(options.origin));
    const proxy = findProxy(origin);
    if (!proxy) return this.direct.dispatch(options, handler);
    const key = `${protocol} ${proxy.url.href}`;
    const dispatcher = this.proxied.get(key) ?? createDispatcher(protocol, proxy);
    this.proxied.set(key, dispatcher);
    return dispatcher.dispatch(options, handler);
  }
}

function createDispatcher(protocol: string, proxy: ForwardProxy): DispatcherTypes {
  if (protocol === 'https:') return new Agent({ connect: createTunnelConnector(proxy) });
  return new Agent({ connect: createProxyConnector(proxy) }).compose((dispatch) => forwardTo(proxy, dispatch));
}

/** Returns a connector that starts TLS with the host inside of a tunnel. */
function createTunnelConnector(proxy: ForwardProxy): Connector {
  const startTls = buildConnector({});
  return (options, callback) => {
    openTunnel(proxy, formatAuthority(`https://${options.host ?? options.hostname}`)).then(
      (socket) => startTls({ ...options, httpSocket: socket }, callback),
      (error: Error) => callback(error, null),
    );
  };
}

/** Returns a connector to the proxy itself. */
function createProxyConnector(proxy: ForwardProxy): Connector {
  const connect = buildConnector({});
  const host = toHost(proxy.url.hostname);
  // An address is no server name (RFC 6066 §3). undici then checks the certificate for the address it connects to.
  const servername = isIP(host) ? '' : host;
  return (options, callback) =>
    connect({ ...options, servername }, (...[error, socket]) =>
      error ? callback(toProxyError(proxy, error), null) : callback(null, socket),
    );
}

/** Sends http requests to the proxy with the whole URL as their target (RFC 9112 §3.2.2). */
function forwardTo(proxy: ForwardProxy, dispatch: DispatcherTypes.Dispatch): DispatcherTypes.Dispatch {
  return (options, handler) => {
    const url = new URL(String(options.origin));
    const headers: [string, string][] = [...toPairs(options.headers), ['host', url.host]];
    if (proxy.authorization) headers.push(['proxy-authorization', proxy.authorization]);
    const forwarded = {
      ...options,
      origin: proxy.url.origin,
      path: url.origin + options.path,
      headers: Object.fromEntries(headers),
      // By default, it would be that of the Host header, and undici closes a connection when the next one differs.
      servername: toHost(proxy.url.hostname),
    };
    return dispatch(forwarded, new ForwardedHandler(handler, proxy, formatAuthority(url)));
  };
}

/** Turns a demand for another password, which only the proxy itself sends, into an error. */
class ForwardedHandler extends DecoratorHandler {
  constructor(
    handler: DispatcherTypes.DispatchHandler,
    private readonly proxy: ForwardProxy,
    private readonly authority: string,
  ) {
    super(handler);
  }

  override onResponseStart(...args: Parameters<DecoratorHandler['onResponseStart']>): void {
    const [controller, status] = args;
    if (status === 407) controller.abort(createRefusalError(this.proxy, this.authority, status));
    else super.onResponseStart(...args);
  }
}

/** `fetch` passes a record or a list of names and values, by its version. */
function toPairs(headers: RequestHeaders): [string, string][] {
  if (!headers) return [];
  if (!Array.isArray(headers)) return Object.entries(headers as Record<string, string>);
  return headers.flatMap((name, index): [string, string][] => (index % 2 === 0 ? [[name, headers[index + 1]!]] : []));
}
