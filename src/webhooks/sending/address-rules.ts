import { isIP } from 'node:net';
import { Injectable } from '@nestjs/common';
import ipaddr, { type IPv4, type IPv6 } from 'ipaddr.js';
import { Config } from '../../config';

/** Addresses that look public and lead into the network of whoever runs the service: Azure's wire server. */
const NOT_PUBLIC = new Set(['168.63.129.16']);
/** All that IANA gives out for global unicast (RFC 4291 §2.4); old forms that hold an IPv4 address lie elsewhere. */
const GLOBAL_UNICAST: [IPv6, number] = [ipaddr.IPv6.parse('2000::'), 3];

/** Where deliveries may go: public unicast addresses, and what the operator allows beside them. */
@Injectable()
export class AddressRules {
  private readonly allowed: [IPv4 | IPv6, number][];

  constructor({ webhooks }: Config) {
    this.allowed = webhooks.allowCidrs.map((cidr) => ipaddr.parseCIDR(cidr));
  }

  /** @param text an IPv4 or IPv6 address, the former where it is mapped into the latter; nothing else is allowed */
  allows(text: string): boolean {
    if (isIP(text) === 0 || !ipaddr.isValid(text)) return false;
    const address = ipaddr.process(text);
    return isPublic(address) || this.allowed.some((cidr) => lies(address, cidr));
  }
}

function isPublic(address: IPv4 | IPv6): boolean {
  if (address.range() !== 'unicast' || NOT_PUBLIC.has(address.toString())) return false;
  return address.kind() === 'ipv4' || lies(address, GLOBAL_UNICAST);
}

function lies(address: IPv4 | IPv6, cidr: [IPv4 | IPv6, number]): boolean {
  return address.kind() === cidr[0].kind() && address.match(cidr);
}
