import { isIP, type LookupFunction, type Socket } from 'node:net';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { formatAuthority } from '@external-api/forward-proxy';
import { Agent, buildConnector } from 'undici';
import { AddressPolicy } from './address-policy';
import { EgressProxy } from './egress-proxy';
import { HostNotResolvedError, HostResolver } from './host-resolver';
import { acceptAnyResponseHead } from './response-heads';

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
 * and checks the connected peer address again. This prevents DNS rebinding. The proxy of the operator, if there is one,
 * resolves names itself and must not connect to private addresses either (docs/production.md#egress-proxy).
 */
@Injectable()
export class GuardedAgent extends Agent implements OnApplicationShutdown {
  constructor(addressPolicy: AddressPolicy, hostResolver: HostResolver, egressProxy: EgressProxy) {
    const connect = buildConnector({
      timeout: CONNECT_TIMEOUT_MS,
      lookup: createGuardedLookup(addressPolicy, hostResolver),
    });
    const connectDirectly: buildConnector.connector = (options, callback) =>
      connect(options, (...[error, socket]) => {
        if (error) return callback(error, null);
        if (addressPolicy.isAllowed(socket.remoteAddress ?? '0.0.0.0')) {
          acceptAnyResponseHead(socket);
          return callback(null, socket);
        }
        socket.destroy();
        callback(new AddressNotAllowedError(), null);
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
        if (!egressProxy.isUsed) return connectDirectly(options, callback);
        resolveKnownAddresses(options.hostname, addressPolicy, hostResolver)
          .then((addresses) => {
            if (addressPolicy.isOwnComputer(addresses)) return connectDirectly(options, callback);
            return egressProxy
              .openTunnel(formatAuthority(`${options.protocol}//${options.host ?? options.hostname}`))
              .then((tunnel) => startExchange(tunnel, connect, options, callback));
          })
          .catch((error: Error) => callback(error, null));
      },
    });
  }

  async onApplicationShutdown(): Promise<void> {
    await this.destroy();
  }
}

/** Starts TLS with the receiver inside of a tunnel, unless the target is an http URL. */
function startExchange(
  tunnel: Socket,
  connect: buildConnector.connector,
  options: buildConnector.Options,
  callback: buildConnector.Callback,
): void {
  if (options.protocol !== 'https:') {
    acceptAnyResponseHead(tunnel);
    return callback(null, tunnel);
  }
  connect({ ...options, httpSocket: tunnel }, (...[error, socket]) => {
    if (error) return callback(error, null);
    acceptAnyResponseHead(socket);
    callback(null, socket);
  });
}

/**
 * Returns the addresses of a host as this computer knows them, none if only the proxy can resolve it.
 * @throws {AddressNotAllowedError} when any resolved address is not allowed
 */
async function resolveKnownAddresses(
  hostname: string,
  addressPolicy: AddressPolicy,
  hostResolver: HostResolver,
): Promise<string[]> {
  if (isIP(hostname)) return [hostname];
  try {
    return await resolveAllowedAddresses(hostname, addressPolicy, hostResolver);
  } catch (error) {
    if (error instanceof HostNotResolvedError) return [];
    throw error;
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
