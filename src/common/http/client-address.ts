import type { IncomingMessage } from 'node:http';
import { isIP, type Socket } from 'node:net';
import ipaddr from 'ipaddr.js';
import proxyaddr from 'proxy-addr';

/** Returns the client address of a request, undefined if the connection had closed before its first request. */
export type ClientAddressReader = (request: IncomingMessage) => string | undefined;

/** Addresses of connections, which carry many requests each. */
const peerAddresses = new WeakMap<Socket, string>();

/**
 * Returns a reader that goes back through the trusted proxies of `X-Forwarded-For`. If a proxy hides the address of its
 * client, such as with `unknown`, that of the proxy counts.
 * @param trusted number of proxies in front of the service, or their addresses and ranges
 */
export function createClientAddressReader(trusted: number | string[] | null): ClientAddressReader {
  const isTrusted =
    typeof trusted === 'number' ? (_address: string, hop: number) => hop < trusted : proxyaddr.compile(trusted ?? []);
  return ({ socket, headers }) => {
    let address = readPeerAddress(socket);
    const forwarded = headers['x-forwarded-for'];
    if (forwarded === undefined) return address;
    const elements = String(forwarded)
      .split(',')
      .filter((element) => element.trim() !== '')
      .reverse();
    let isHidden = address === undefined;
    for (const [hop, element] of elements.entries()) {
      if (!isTrusted(isHidden ? '' : address!, hop)) break;
      const client = parseAddress(element);
      isHidden = client === undefined;
      address = client ?? address;
    }
    return address;
  };
}

function readPeerAddress(socket: Socket): string | undefined {
  const known = peerAddresses.get(socket);
  if (known !== undefined) return known;
  const address = parseAddress(socket.remoteAddress ?? '');
  if (address !== undefined) peerAddresses.set(socket, address);
  return address;
}

/**
 * Returns the address that a socket or proxy names, in the same spelling for all of its forms: with a port, brackets,
 * quotes or a zone, and IPv4 as IPv6. Returns undefined for a text that is not an address.
 */
function parseAddress(text: string): string | undefined {
  const named = text.replaceAll(/["']/g, '').trim();
  const bracketed = /^\[([^\]]*)\](:\w*)?$/.exec(named)?.[1];
  // Without brackets, the end of an IPv6 address is a port only if the whole is too long for an address.
  const candidates = bracketed === undefined ? [named, named.replace(/:\d*$/, '')] : [bracketed];
  const address = candidates.map((each) => each.split('%', 1)[0]!).find((each) => isIP(each) !== 0);
  return address === undefined ? undefined : ipaddr.process(address).toString();
}
