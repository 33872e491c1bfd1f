import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { isIP, type Socket } from 'node:net';
import { ProxyError } from './proxy-error';
import { getPort, toHost, type ForwardProxy } from './proxy-settings';

/** Ends before the time after which `fetch` and the device give up a connection. */
const TUNNEL_TIMEOUT_MS = 8_000;
/** Answers of proxies that allow no connection to the host, whenever it is asked for. */
const REFUSALS = [401, 403, 404, 451];
/** Answers of proxies, besides 5xx, that open no connection to the host now. */
const PASSING_REFUSALS = [408, 429];
/** A server that doesn't know CONNECT is no proxy. */
const NOT_IMPLEMENTED = 501;

/**
 * Opens a connection through a proxy with CONNECT (RFC 9110 §9.3.6).
 * @param authority host and port to connect to
 * @returns a socket on which nothing was sent or read, without listeners
 * @throws ProxyError
 */
export function openTunnel(proxy: ForwardProxy, authority: string): Promise<Socket> {
  const { url, authorization } = proxy;
  const host = toHost(url.hostname);
  const isSecure = url.protocol === 'https:';
  let isConnected = false;
  return new Promise((resolve, reject) => {
    const request = (isSecure ? requestHttps : requestHttp)({
      method: 'CONNECT',
      host,
      port: getPort(url),
      // By default, it would be that of the Host header, and so the name of the target.
      servername: isIP(host) ? '' : host,
      path: authority,
      headers: { host: authority, ...(authorization && { 'proxy-authorization': authorization }) },
      agent: false,
    });
    request.once('socket', (socket) => socket.once(isSecure ? 'secureConnect' : 'connect', () => (isConnected = true)));
    const timer = setTimeout(
      () => request.destroy(createTimeoutError(proxy, isConnected ? authority : null)),
      TUNNEL_TIMEOUT_MS,
    );
    request.once('connect', ({ statusCode = 0 }, socket: Socket, head) => {
      clearTimeout(timer);
      if (statusCode >= 200 && statusCode < 300) {
        if (head.length > 0) socket.unshift(head);
        return resolve(socket);
      }
      socket.on('error', () => undefined).destroy();
      reject(createRefusalError(proxy, authority, statusCode));
    });
    request.once('error', (error) => {
      clearTimeout(timer);
      reject(toProxyError(proxy, error));
    });
    request.end();
  });
}

/** Describes why there is no connection to the proxy itself. */
export function toProxyError(proxy: ForwardProxy, error: NodeJS.ErrnoException): ProxyError {
  if (error instanceof ProxyError) return error;
  const { name, setting } = proxy;
  const code = error.code ?? error.message;
  const reason = /^HPE_/.test(code) ? `doesn't answer as an HTTP proxy (${code})` : `can't be reached (${code})`;
  const hint = `Check ${setting}, or name the host in NO_PROXY to connect without the proxy`;
  return new ProxyError('ERR_PROXY_UNREACHABLE', `the proxy ${name} ${reason}`, hint);
}

/** Describes a response of the proxy other than a success. */
export function createRefusalError(proxy: ForwardProxy, authority: string, status: number): ProxyError {
  const { url, name, setting, authorization } = proxy;
  if (status === 407) {
    const reason = authorization ? `rejects the user name and password in ${setting}` : 'requires a password';
    const hint = `Set ${setting} to ${url.protocol}//USER:PASSWORD@${name}, with special characters percent-encoded`;
    return new ProxyError('ERR_PROXY_AUTHENTICATION', `the proxy ${name} ${reason} (status 407)`, hint, status);
  }
  const isRefused = REFUSALS.includes(status);
  const isPassing = PASSING_REFUSALS.includes(status) || (status >= 500 && status !== NOT_IMPLEMENTED);
  if (!isRefused && !isPassing)
    return new ProxyError(
      'ERR_PROXY_UNREACHABLE',
      `the proxy ${name} doesn't answer as an HTTP proxy (status ${status})`,
      `Check ${setting}, or name the host in NO_PROXY to connect without the proxy`,
      status,
    );
  const [code, verb, hint] = isRefused
    ? (['ERR_PROXY_REFUSED', 'refuses to connect', 'Ask its operator to allow the host'] as const)
    : (['ERR_PROXY_GATEWAY', "can't connect", 'Check the address of the host'] as const);
  const reason = `the proxy ${name} ${verb} to ${authority} (status ${status})`;
  return new ProxyError(code, reason, `${hint}, or name it in NO_PROXY to connect without the proxy`, status);
}

/** @param authority host that the proxy opened no connection to; null if there was none to the proxy itself */
function createTimeoutError({ name, setting }: ForwardProxy, authority: string | null): ProxyError {
  const time = `within ${TUNNEL_TIMEOUT_MS / 1000} seconds`;
  const hint = 'or name the host in NO_PROXY to connect without the proxy';
  if (authority === null)
    return new ProxyError(
      'ERR_PROXY_UNREACHABLE',
      `the proxy ${name} can't be reached ${time}`,
      `Check ${setting}, ${hint}`,
    );
  const reason = `the proxy ${name} opened no connection to ${authority} ${time}`;
  return new ProxyError('ERR_PROXY_TIMEOUT', reason, `Check the address of the host and ${setting}, ${hint}`);
}
