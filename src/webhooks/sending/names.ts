import { readFile, stat } from 'node:fs/promises';
import { Resolver } from 'node:dns/promises';
import { Injectable } from '@nestjs/common';

const HOSTS_FILE = '/etc/hosts';
const LOOPBACK = ['127.0.0.1', '::1'];
const TIMEOUT_MS = 3_000;
const TRIES = 2;
/** The name has no address, as opposed to: nobody could be asked. */
const NONE = new Set(['ENOTFOUND', 'ENODATA', 'EBADNAME']);

/** No address is known for a name. */
export class NameNotResolved extends Error {
  constructor(name: string, cause?: unknown) {
    super(`${name} does not resolve`, { cause });
    this.name = 'NameNotResolved';
  }
}

/**
 * All addresses of a name, by the hosts file and DNS. Not by the system's `getaddrinfo`: that takes one of the process's
 * few threads for as long as a silent name server pleases, and with it everybody else's look-ups.
 */
@Injectable()
export class Names {
  private hosts = new Map<string, string[]>();
  private hostsReadAt = 0;

  /** @throws NameNotResolved */
  async resolve(given: string): Promise<string[]> {
    const name = given.toLowerCase().replace(/\.$/, '');
    // RFC 6761 §6.3
    if (name === 'localhost' || name.endsWith('.localhost')) return LOOPBACK;
    const listed = (await this.readHosts()).get(name);
    return listed ?? ask(this.resolver(), given);
  }

  /** One for each question: its time-out is that of one question. */
  protected resolver(): Resolver {
    return new Resolver({ timeout: TIMEOUT_MS, tries: TRIES });
  }

  private async readHosts(): Promise<Map<string, string[]>> {
    const changedAt = await stat(HOSTS_FILE).then(
      ({ mtimeMs }) => mtimeMs,
      () => 0,
    );
    if (changedAt === this.hostsReadAt) return this.hosts;
    this.hosts = parseHosts(await readFile(HOSTS_FILE, 'utf8').catch(() => ''));
    this.hostsReadAt = changedAt;
    return this.hosts;
  }
}

async function ask(resolver: Resolver, name: string): Promise<string[]> {
  const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
  const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
  if (addresses.length > 0) return addresses;
  const failure = answers.find(({ status, ...rest }) => status === 'rejected' && !isNone(rest));
  throw new NameNotResolved(name, (failure as PromiseRejectedResult | undefined)?.reason);
}

function isNone(answer: object): boolean {
  return NONE.has(((answer as PromiseRejectedResult).reason as NodeJS.ErrnoException).code ?? '');
}

/** hosts(5): an address and its names on a line, `#` begins a comment. */
function parseHosts(text: string): Map<string, string[]> {
  const hosts = new Map<string, string[]>();
  for (const line of text.split('\n')) {
    const [address, ...names] = line.replace(/#.*/, '').trim().split(/\s+/);
    for (const name of names) {
      const key = name.toLowerCase();
      hosts.set(key, [...(hosts.get(key) ?? []), address!]);
    }
  }
  return hosts;
}
