import { readFile, stat } from 'node:fs/promises';
import { Resolver } from 'node:dns/promises';
import { Injectable } from '@nestjs/common';

const HOSTS_FILE = '/etc/hosts';
const LOOPBACK_ADDRESSES = ['127.0.0.1', '::1'];
const DNS_TIMEOUT_MS = 3_000;
const DNS_ATTEMPTS = 2;
/** Error codes that mean that the name has no address, as opposed to a failed query. */
const NO_ADDRESS_CODES = new Set(['ENOTFOUND', 'ENODATA', 'EBADNAME']);

/** Thrown when a name has no address. */
export class HostNotResolvedError extends Error {
  constructor(name: string, cause?: unknown) {
    super(`${name} does not resolve`, { cause });
    this.name = 'HostNotResolvedError';
  }
}

/**
 * Resolves all addresses of a name from the hosts file and DNS. Avoids the system's `getaddrinfo`, which blocks a
 * thread of the small libuv pool while a name server doesn't respond and so delays unrelated lookups.
 */
@Injectable()
export class HostResolver {
  private hostsFileEntries = new Map<string, string[]>();
  private hostsFileModifiedAt = 0;

  /** @throws {HostNotResolvedError} */
  async resolveHost(hostname: string): Promise<string[]> {
    const normalizedName = hostname.toLowerCase().replace(/\.$/, '');
    // RFC 6761 §6.3
    if (normalizedName === 'localhost' || normalizedName.endsWith('.localhost')) return LOOPBACK_ADDRESSES;
    const hostsFileAddresses = (await this.readHostsFile()).get(normalizedName);
    return hostsFileAddresses ?? queryDns(this.createResolver(), hostname);
  }

  /** Uses one resolver per query, since the timeout applies per query. */
  protected createResolver(): Resolver {
    return new Resolver({ timeout: DNS_TIMEOUT_MS, tries: DNS_ATTEMPTS });
  }

  private async readHostsFile(): Promise<Map<string, string[]>> {
    const modifiedAt = await stat(HOSTS_FILE).then(
      ({ mtimeMs }) => mtimeMs,
      () => 0,
    );
    if (modifiedAt === this.hostsFileModifiedAt) return this.hostsFileEntries;
    this.hostsFileEntries = parseHostsFile(await readFile(HOSTS_FILE, 'utf8').catch(() => ''));
    this.hostsFileModifiedAt = modifiedAt;
    return this.hostsFileEntries;
  }
}

async function queryDns(resolver: Resolver, hostname: string): Promise<string[]> {
  const answers = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
  const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
  if (addresses.length > 0) return addresses;
  const failure = answers.find(({ status, ...rest }) => status === 'rejected' && !isNoAddressError(rest));
  throw new HostNotResolvedError(hostname, (failure as PromiseRejectedResult | undefined)?.reason);
}

function isNoAddressError(answer: object): boolean {
  return NO_ADDRESS_CODES.has(((answer as PromiseRejectedResult).reason as NodeJS.ErrnoException).code ?? '');
}

/** Parses a hosts file (hosts(5)): each line has an address and its names, `#` starts a comment. */
function parseHostsFile(text: string): Map<string, string[]> {
  const hosts = new Map<string, string[]>();
  for (const line of text.split('\n')) {
    const [address, ...names] = line.replace(/#.*/, '').trim().split(/\s+/);
    for (const name of names) {
      const hostname = name.toLowerCase();
      hosts.set(hostname, [...(hosts.get(hostname) ?? []), address!]);
    }
  }
  return hosts;
}
