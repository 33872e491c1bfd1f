import { isIP } from 'node:net';
import { Injectable } from '@nestjs/common';
import { isLoopbackHost } from '../../common/loopback';
import { Config, type WebhookConfig } from '../../core/config';
import { AddressPolicy } from './address-policy';
import { HostNotResolvedError, HostResolver } from './host-resolver';

export const MAX_URL_LENGTH = 2_048;

/** Validates the target URL of a webhook without connecting to it. */
@Injectable()
export class TargetUrlValidator {
  constructor(
    private readonly config: Config,
    private readonly addressPolicy: AddressPolicy,
    private readonly hostResolver: HostResolver,
  ) {}

  /**
   * Returns what is wrong with the URL, or null. A name that doesn't resolve is accepted: it may resolve later, and its
   * addresses are checked on every connection.
   * @returns a clause to follow the URL's name, such as `must use https`
   */
  async findViolation(url: string): Promise<string | null> {
    const violation = findFormatViolation(url, this.config.webhooks);
    if (violation) return violation;
    const host = toHost(new URL(url));
    const addresses = isIP(host) ? [host] : await this.resolveAddresses(host);
    if (addresses.every((address) => this.addressPolicy.isAllowed(address))) return null;
    return this.config.webhooks.allowLoopback
      ? 'must resolve to public addresses or to this computer only. WEBHOOK_ALLOW_CIDRS allows others'
      : 'must resolve to public addresses only';
  }

  private async resolveAddresses(hostname: string): Promise<string[]> {
    try {
      return await this.hostResolver.resolveHost(hostname);
    } catch (error) {
      if (error instanceof HostNotResolvedError) return [];
      throw error;
    }
  }
}

/** Returns the host as `net.connect` expects it: an IPv6 address without brackets. */
function toHost({ hostname }: URL): string {
  return hostname.replace(/^\[(.*)\]$/, '$1');
}

function findFormatViolation(url: string, { allowHttp, allowLoopback }: WebhookConfig): string | null {
  if (url.length > MAX_URL_LENGTH) return `must have at most ${MAX_URL_LENGTH} characters`;
  if (/[\s\p{Cc}]/u.test(url) || !URL.canParse(url)) return 'must be a URL';
  const { protocol, hostname, username, password } = new URL(url);
  // Not by the addresses of the host: DNS may answer with others when something is sent.
  const isHttpAllowed = allowHttp || (allowLoopback && isLoopbackHost(hostname));
  if (protocol !== 'https:' && !(isHttpAllowed && protocol === 'http:'))
    return allowLoopback ? 'must use https, except for localhost. WEBHOOK_ALLOW_HTTP allows http' : 'must use https';
  if (username || password) return 'must not contain a user name or password';
  return null;
}
