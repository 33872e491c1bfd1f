import { BlockList, isIP } from 'node:net';
import { ProxyError } from './proxy-error';

/** A forward proxy that speaks HTTP, over TLS if the URL begins with https. */
export interface ForwardProxy {
  /** URL without user name and password. */
  url: URL;
  /** Host and port, for messages. */
  name: string;
  /** Value of Proxy-Authorization, if the URL has a user name. */
  authorization: string | undefined;
  /** Name of the variable that names the proxy. */
  setting: string;
}

const DEFAULT_PORTS: Record<string, number> = { 'http:': 80, 'https:': 443 };
const SETTINGS: Record<string, string> = { 'http:': 'HTTP_PROXY', 'https:': 'HTTPS_PROXY' };

/** A host with an optional port. An IPv6 address is in brackets where a port may follow. */
const HOST_AND_PORT = /^(?:\[([^\]]*)\]|([^:]*))(?::(\d+))?$/;

/** Returns whether a variable names a proxy, whichever hosts it is for. */
export function hasProxySettings(env: NodeJS.ProcessEnv = process.env): boolean {
  return Object.values(SETTINGS).some((name) => readVariable(env, name) !== undefined);
}

/**
 * Returns the proxy for requests and WebSockets to a URL, or undefined if they are sent directly. HTTPS_PROXY counts
 * for https URLs and HTTP_PROXY for http URLs, as in curl.
 * @throws ProxyError `ERR_PROXY_SETTING` if the variable has another form
 */
export function findProxy(target: URL | string, env: NodeJS.ProcessEnv = process.env): ForwardProxy | undefined {
  const { protocol, hostname, port } = new URL(target);
  const setting = SETTINGS[protocol];
  const variable = setting === undefined ? undefined : readVariable(env, setting);
  if (variable === undefined) return undefined;
  const noProxy = readVariable(env, 'NO_PROXY')?.value ?? '';
  if (isExcluded(noProxy, toHost(hostname), Number(port) || DEFAULT_PORTS[protocol]!)) return undefined;
  return parseProxy(variable.value, variable.name);
}

/**
 * Parses the URL of a proxy. Without a scheme, it is http, as in curl.
 * @param setting name of the variable, for messages
 * @throws ProxyError `ERR_PROXY_SETTING`, without the text, which may contain a password
 */
export function parseProxy(text: string, setting: string): ForwardProxy {
  const address = /^[a-z][a-z\d+.-]*:\/\//i.test(text) ? text : `http://${text}`;
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (!url || !(url.protocol in DEFAULT_PORTS) || url.hostname === '' || hasCutPassword(url))
    throw new ProxyError(
      'ERR_PROXY_SETTING',
      `${setting} is not the URL of an HTTP proxy`,
      `Set ${setting} to a URL such as http://proxy.example:3128, with % and other special characters of a password ` +
        'percent-encoded',
    );
  const { username, password } = url;
  const credentials = `${decode(username)}:${decode(password)}`;
  const authorization = username || password ? `Basic ${Buffer.from(credentials).toString('base64')}` : undefined;
  const name = `${url.hostname}:${getPort(url)}`;
  return { url: new URL(url.origin), name, authorization, setting };
}

/**
 * Returns whether a part of a password may be outside of the authority. An unescaped `/`, `?` or `#` in a password ends
 * the authority, so that another text becomes the host, which messages name and which would get the credentials.
 */
function hasCutPassword({ pathname, search, hash }: URL): boolean {
  return search !== '' || hash !== '' || pathname.includes('@');
}

/** Returns host and port of a URL as CONNECT requires them: an IPv6 address in brackets, and always a port. */
export function formatAuthority(target: URL | string): string {
  const url = new URL(target);
  return `${url.hostname}:${getPort(url)}`;
}

export function getPort({ port, protocol }: URL): number {
  return Number(port) || DEFAULT_PORTS[protocol]!;
}

/** Returns a host of a URL as `net.connect` expects it: an IPv6 address without brackets. */
export function toHost(hostname: string): string {
  return hostname.replace(/^\[(.*)\]$/, '$1');
}

/** The lower-case spelling wins, and an empty variable counts as unset, as in curl. */
function readVariable(env: NodeJS.ProcessEnv, name: string): { name: string; value: string } | undefined {
  for (const spelling of [name.toLowerCase(), name]) {
    const value = env[spelling]?.trim();
    if (value) return { name: spelling, value };
  }
  return undefined;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/**
 * Returns whether an entry of NO_PROXY names the host, by the rules of curl: `corp.example`, `.corp.example` and
 * `*.corp.example` name the domain and all below it, `10.0.0.0/8` a range of addresses, and `*` all hosts. An entry
 * with a port, such as `corp.example:8443`, names that port only. Names are not resolved.
 * @param hostname as in a URL, without the brackets of an IPv6 address
 */
export function isExcluded(noProxy: string, hostname: string, port: number): boolean {
  const host = normalizeName(hostname);
  return noProxy
    .split(/[\s,]+/)
    .filter((entry) => entry !== '')
    .some((entry) => matchesEntry(entry.toLowerCase(), host, port));
}

function matchesEntry(entry: string, host: string, port: number): boolean {
  if (isIP(entry)) return matchesAddress(entry, host);
  const [, bracketed, plain, ownPort] = HOST_AND_PORT.exec(entry) ?? [];
  if (ownPort !== undefined && Number(ownPort) !== port) return false;
  const name = bracketed ?? plain ?? entry;
  if (name === '*') return true;
  if (isIP(host)) return matchesAddress(name, host);
  const domain = normalizeName(name.replace(/^\*?\./, ''));
  return domain !== '' && (host === domain || host.endsWith(`.${domain}`));
}

/** @param text an address or a CIDR; any other text matches nothing */
function matchesAddress(text: string, host: string): boolean {
  const family = (address: string) => (isIP(address) === 6 ? 'ipv6' : 'ipv4');
  const [address = '', prefix] = text.split('/');
  if (isIP(address) === 0 || isIP(address) !== isIP(host)) return false;
  const range = new BlockList();
  const bits = prefix === undefined ? 128 : Number(prefix || NaN);
  if (prefix === undefined) range.addAddress(address, family(address));
  else if (Number.isInteger(bits) && bits >= 0 && bits <= (isIP(address) === 6 ? 128 : 32))
    range.addSubnet(address, bits, family(address));
  return range.check(host, family(host));
}

function normalizeName(name: string): string {
  return name.toLowerCase().replace(/\.$/, '');
}
