import { Injectable } from '@nestjs/common';
import proxyaddr from 'proxy-addr';
import type { Socket } from 'socket.io';
import { Config } from '../../config';

/** A socket's client address, read through the same trusted proxies as an HTTP request's. */
@Injectable()
export class ClientAddress {
  private readonly trust: (address: string, hop: number) => boolean;

  constructor({ trustProxy }: Config) {
    this.trust = typeof trustProxy === 'number' ? (_, hop) => hop < trustProxy : proxyaddr.compile(trustProxy ?? []);
  }

  of(socket: Socket): string {
    return proxyaddr(socket.request, this.trust);
  }
}
