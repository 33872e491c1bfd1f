import type { IncomingMessage } from 'node:http';
import { Injectable } from '@nestjs/common';
import { createClientAddressReader, type ClientAddressReader } from '../../../common/http';
import { Config } from '../../../core/config';

/** Resolves a socket's client address through the same trusted proxies as that of an HTTP request. */
@Injectable()
export class ClientAddressResolver {
  private readonly readClientAddress: ClientAddressReader;

  constructor({ trustProxy }: Config) {
    this.readClientAddress = createClientAddressReader(trustProxy);
  }

  resolveAddress(request: IncomingMessage): string {
    return this.readClientAddress(request) ?? '';
  }
}
