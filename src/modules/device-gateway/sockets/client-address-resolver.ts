import type { IncomingMessage } from 'node:http';
import { Injectable } from '@nestjs/common';
import proxyaddr from 'proxy-addr';
import { Config } from '../../../core/config';

/** Resolves a socket's client address through the same trusted proxies as that of an HTTP request. */
@Injectable()
export class ClientAddressResolver {
  private readonly isTrustedProxy: (address: string, hop: number) => boolean;

  constructor({ trustProxy }: Config) {
    this.isTrustedProxy =
      typeof trustProxy === 'number' ? (_, hop) => hop < trustProxy : proxyaddr.compile(trustProxy ?? []);
  }

  resolveAddress(request: IncomingMessage): string {
    return proxyaddr(request, this.isTrustedProxy);
  }
}
