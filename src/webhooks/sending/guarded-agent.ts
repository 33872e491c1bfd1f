import { isIP, type LookupFunction } from 'node:net';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Agent, buildConnector } from 'undici';
import { AddressRules } from './address-rules';
import { Names } from './names';

const CONNECT_TIMEOUT_MS = 10_000;
/** Of an idle connection, whatever the receiver asks for. */
const KEEP_ALIVE_MS = 4_000;

/** A delivery would have gone where none may go. Nothing was sent. */
export class AddressRefused extends Error {
  constructor() {
    super('the address is not a public one');
    this.name = 'AddressRefused';
  }
}

/**
 * Connects to allowed addresses alone. A literal is checked as it is; of a name every address is, and the connection
 * goes to those that were checked; and the address that it reached is checked once more.
 */
@Injectable()
export class GuardedAgent extends Agent implements OnApplicationShutdown {
  constructor(rules: AddressRules, names: Names) {
    const connect = buildConnector({ timeout: CONNECT_TIMEOUT_MS, lookup: guardedLookup(rules, names) });
    super({
      headersTimeout: 0,
      bodyTimeout: 0,
      keepAliveTimeout: KEEP_ALIVE_MS,
      keepAliveMaxTimeout: KEEP_ALIVE_MS,
      connect: (options, callback) => {
        if (isIP(options.hostname) && !rules.allows(options.hostname)) {
          callback(new AddressRefused(), null);
          return;
        }
        connect(options, (...[error, socket]) => {
          if (error) return callback(error, null);
          if (rules.allows(socket.remoteAddress ?? '0.0.0.0')) return callback(null, socket);
          socket.destroy();
          callback(new AddressRefused(), null);
        });
      },
    });
  }

  async onApplicationShutdown(): Promise<void> {
    await this.destroy();
  }
}

function guardedLookup(rules: AddressRules, names: Names): LookupFunction {
  return (name, { all }, callback) => {
    allowedAddresses(name, rules, names).then(
      (addresses) => {
        const found = addresses.map((address) => ({ address, family: isIP(address) }));
        if (all) callback(null, found);
        else callback(null, found[0]!.address, found[0]!.family);
      },
      (error: Error) => callback(error, ''),
    );
  };
}

/** @throws NameNotResolved, AddressRefused when one of them is not allowed */
async function allowedAddresses(name: string, rules: AddressRules, names: Names): Promise<string[]> {
  const addresses = await names.resolve(name);
  if (!addresses.every((address) => rules.allows(address))) throw new AddressRefused();
  return addresses;
}
