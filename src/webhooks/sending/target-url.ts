import { isIP } from 'node:net';
import { Injectable } from '@nestjs/common';
import { Config } from '../../config';
import { AddressRules } from './address-rules';
import { NameNotResolved, Names } from './names';

export const MAX_URL_LENGTH = 2_048;

/** Says what is wrong with a webhook's URL, before anything is sent there. */
@Injectable()
export class TargetUrls {
  constructor(
    private readonly config: Config,
    private readonly rules: AddressRules,
    private readonly names: Names,
  ) {}

  /**
   * What is wrong with it, or null. A name that does not resolve now may do so later, and is judged then.
   * @returns a clause to follow the URL's name, such as `must use https`
   */
  async faultOf(text: string): Promise<string | null> {
    const fault = formFault(text, this.config.webhooks.allowHttp);
    if (fault) return fault;
    const host = hostOf(new URL(text));
    const addresses = isIP(host) ? [host] : await this.addressesOf(host);
    return addresses.every((address) => this.rules.allows(address)) ? null : 'must lead to public addresses alone';
  }

  private async addressesOf(name: string): Promise<string[]> {
    try {
      return await this.names.resolve(name);
    } catch (error) {
      if (error instanceof NameNotResolved) return [];
      throw error;
    }
  }
}

/** As `net.connect` takes it: an IPv6 address without its brackets. */
function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[(.*)\]$/, '$1');
}

function formFault(text: string, allowHttp: boolean): string | null {
  if (text.length > MAX_URL_LENGTH) return `must hold at most ${MAX_URL_LENGTH} characters`;
  if (/[\s\p{Cc}]/u.test(text) || !URL.canParse(text)) return 'must be a URL';
  const { protocol, username, password } = new URL(text);
  if (protocol !== 'https:' && !(allowHttp && protocol === 'http:')) return 'must use https';
  if (username || password) return 'must not hold a user name or password';
  return null;
}
