import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** @param text an IPv4 or IPv6 address. IPv4-mapped IPv6 addresses count as IPv4; any other text is no match. */
export function isLoopbackAddress(text: string): boolean {
  return isIP(text) !== 0 && ipaddr.isValid(text) && ipaddr.process(text).range() === 'loopback';
}

/**
 * Returns whether a host is always this computer, whatever DNS answers: `localhost` and names below it (RFC 6761 §6.3),
 * and loopback addresses, also in the brackets of a URL.
 */
export function isLoopbackHost(host: string): boolean {
  const name = host.toLowerCase().replace(/\.$/, '');
  if (name === 'localhost' || name.endsWith('.localhost')) return true;
  return isLoopbackAddress(host.replace(/^\[(.*)\]$/, '$1'));
}
