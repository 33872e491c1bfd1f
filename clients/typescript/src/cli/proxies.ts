import { withProxyName as nameProxyOf } from '@external-api/forward-proxy/programs';

const LOOPBACK = /^(localhost|.+\.localhost|127\.[\d.]+|\[::1\])$/;

/** Returns an error of a call with the name of the proxy that it used, if there was one. */
export function withProxyName(message: string, host: string | undefined): string {
  return host === undefined ? message : nameProxyOf(message, host);
}

/** Lets no request to this computer itself use a proxy. */
export function excludeLoopback({ hostname }: URL): void {
  if (!LOOPBACK.test(hostname)) return;
  const names = [process.env.no_proxy || process.env.NO_PROXY, hostname];
  process.env.no_proxy = names.filter(Boolean).join(',');
}
