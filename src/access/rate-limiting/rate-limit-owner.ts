import { normalizeIp } from '@nestjs/throttler';
import type { Request } from 'express';
import type { DevicePrincipal } from '../auth';

/** Kinds of owners that buckets have, with the part of the bucket's key that identifies the owner. */
const OWNER_IDS = {
  account: ({ principal }: Request) => principal!.accountId,
  device: ({ principal }: Request) => (principal as DevicePrincipal).deviceId,
  address: ({ ip }: Request) => toAddressOwner(ip),
};

export type RateLimitOwner = keyof typeof OWNER_IDS;

/** Returns the id of the request's account, device or address. Accounts and devices require authentication. */
export function getOwnerId(request: Request, owner: RateLimitOwner): string {
  return OWNER_IDS[owner](request);
}

/** Returns the id of an address: for IPv6 its /64, since a client usually has all addresses of one. */
export function toAddressOwner(address: string | undefined): string {
  return normalizeIp(address ?? '', 64);
}
