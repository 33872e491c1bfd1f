import { findProxy, hasProxySettings, type ForwardProxy } from './proxy-settings';

const LOOPBACK = /^(localhost|.+\.localhost|127\.[\d.]+|\[::1\])$/;

let areProxiesUsed = false;

/**
 * Makes `fetch` and the sockets of this process honour HTTPS_PROXY, HTTP_PROXY and NO_PROXY, if a variable names a
 * proxy. Loads nothing otherwise.
 */
export async function useProxies(): Promise<void> {
  if (!hasProxySettings()) return;
  const { installProxyRouter } = await import('./proxy-router.js');
  installProxyRouter();
  areProxiesUsed = true;
}

/**
 * Returns the proxy that this process uses for a URL, if any.
 * @throws ProxyError `ERR_PROXY_SETTING`
 */
export function findUsedProxy(target: string): ForwardProxy | undefined {
  return areProxiesUsed ? findProxy(target) : undefined;
}

/**
 * Returns the error of a request to a URL with a sentence that names its proxy, unless there is none or the message
 * names it.
 */
export function withProxyName(message: string, target: string): string {
  try {
    const proxy = findUsedProxy(target);
    if (!proxy || message.includes(proxy.name)) return message;
    const { hostname } = new URL(target);
    const advice = LOOPBACK.test(hostname) ? ` Set NO_PROXY=${hostname} to connect without it.` : '';
    return `${message} The request used the proxy ${proxy.name}.${advice}`;
  } catch {
    // The error names the wrong variable.
    return message;
  }
}
