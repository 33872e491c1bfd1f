import { isIP, type LookupFunction } from 'node:net';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Agent, buildConnector } from 'undici';
import { AddressPolicy } from './address-policy';
import { HostResolver } from './host-resolver';

const CONNECT_TIMEOUT_MS = 10_000;
/** Keep-alive limit of idle connections, in ms, regardless of the receiver's Keep-Alive header. */
const KEEP_ALIVE_TIMEOUT_MS = 4_000;

/** Thrown when a target address is not allowed. Nothing was sent. */
export class AddressNotAllowedError extends Error {
  constructor() {
    super('the address is not allowed');
    this.name = 'AddressNotAllowedError';
  }
}

/**
 * HTTP agent that connects to allowed addresses only. Checks every resolved address, connects to the checked addresses,
 * and checks the connected peer address again. This prevents DNS rebinding.
 */
@Injectable()
export class GuardedAgent extends Agent implements OnApplicationShutdown {
  constructor(addressPolicy: AddressPolicy, hostResolver: HostResolver) {
    const connect = buildConnector({
      timeout: CONNECT_TIMEOUT_MS,
      lookup: createGuardedLookup(addressPolicy, hostResolver),
    });
    super({
      headersTimeout: 0,
      bodyTimeout: 0,
      keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
      keepAliveMaxTimeout: KEEP_ALIVE_TIMEOUT_MS,
      connect: (options, callback) => {
        if (isIP(options.hostname) && !addressPolicy.isAllowed(options.hostname)) {
          callback(new AddressNotAllowedError(), null);
          return;
        }
        connect(options, (...[error, socket]) => {
          if (error) return callback(error, null);
          if (addressPolicy.isAllowed(socket.remoteAddress ?? '0.0.0.0')) return callback(null, socket);
          socket.destroy();
          callback(new AddressNotAllowedError(), null);
        });
      },
    });
  }

  async onApplicationShutdown(): Promise<void> {
    await this.destroy();
  }
}

function createGuardedLookup(addressPolicy: AddressPolicy, hostResolver: HostResolver): LookupFunction {
  return (hostname, { all }, callback) => {
    resolveAllowedAddresses(hostname, addressPolicy, hostResolver).then(
      (addresses) => {
        const found = addresses.map((address) => ({ address, family: isIP(address) }));
        if (all) callback(null, found);
        else callback(null, found[0]!.address, found[0]!.family);
      },
      (error: Error) => callback(error, ''),
    );
  };
}

/**
 * @throws {HostNotResolvedError}
 * @throws {AddressNotAllowedError} when any resolved address is not allowed
 */
async function resolveAllowedAddresses(
  hostname: string,
  addressPolicy: AddressPolicy,
  hostResolver: HostResolver,
): Promise<string[]> {
  const addresses = await hostResolver.resolveHost(hostname);
  if (!addresses.every((address) => addressPolicy.isAllowed(address))) throw new AddressNotAllowedError();
  return addresses;
}
