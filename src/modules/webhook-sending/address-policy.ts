import { isIP } from 'node:net';
import { Injectable } from '@nestjs/common';
import ipaddr, { type IPv4, type IPv6 } from 'ipaddr.js';
import { isLoopbackAddress } from '../../common/loopback';
import { Config } from '../../core/config';

/** Public-looking addresses that reach into the operator's network: Azure's wire server. */
const NON_PUBLIC_ADDRESSES = new Set(['168.63.129.16']);
/**
 * The global unicast range allocated by IANA (RFC 4291 §2.4). Legacy forms that embed an IPv4 address are outside of
 * it.
 */
const GLOBAL_UNICAST_RANGE: [IPv6, number] = [ipaddr.IPv6.parse('2000::'), 3];

/** Decides where deliveries may be sent: public unicast addresses, and the addresses that the operator allows. */
@Injectable()
export class AddressPolicy {
  private readonly allowedRanges: [IPv4 | IPv6, number][];
  private readonly allowLoopback: boolean;

  constructor({ webhooks }: Config) {
    this.allowLoopback = webhooks.allowLoopback;
    this.allowedRanges = webhooks.allowCidrs.map((cidr) => ipaddr.parseCIDR(cidr));
  }

  /** Returns whether all of these addresses are of this computer, and allowed for that reason. */
  isOwnComputer(addresses: readonly string[]): boolean {
    return this.allowLoopback && addresses.length > 0 && addresses.every(isLoopbackAddress);
  }

  /**
   * @param text an IPv4 or IPv6 address. IPv4-mapped IPv6 addresses are treated as IPv4; any other text is not allowed.
   */
  isAllowed(text: string): boolean {
    if (isIP(text) === 0 || !ipaddr.isValid(text)) return false;
    if (this.allowLoopback && isLoopbackAddress(text)) return true;
    const address = ipaddr.process(text);
    return isPublicAddress(address) || this.allowedRanges.some((cidr) => isInRange(address, cidr));
  }
}

function isPublicAddress(address: IPv4 | IPv6): boolean {
  if (address.range() !== 'unicast' || NON_PUBLIC_ADDRESSES.has(address.toString())) return false;
  return address.kind() === 'ipv4' || isInRange(address, GLOBAL_UNICAST_RANGE);
}

function isInRange(address: IPv4 | IPv6, cidr: [IPv4 | IPv6, number]): boolean {
  return address.kind() === cidr[0].kind() && address.match(cidr);
}
