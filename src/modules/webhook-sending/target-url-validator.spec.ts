import type { Config } from '../../core/config';
import { AddressPolicy } from './address-policy';
import { HostNotResolvedError, type HostResolver } from './host-resolver';
import { MAX_URL_LENGTH, TargetUrlValidator } from './target-url-validator';

const ADDRESSES_BY_HOST: Record<string, string[]> = {
  'hooks.example': ['93.184.216.34', '2606:2800:220:1::1'],
  'private.example': ['10.1.2.3'],
  'mixed.example': ['93.184.216.34', '10.1.2.3'],
};

/** Resolver with a table instead of DNS. */
const hostResolver = {
  resolveHost: (hostname: string) => {
    const addresses = ADDRESSES_BY_HOST[hostname];
    return addresses ? Promise.resolve(addresses) : Promise.reject(new HostNotResolvedError(hostname));
  },
} as HostResolver;

function createValidator(webhooks: {
  allowHttp: boolean;
  allowCidrs: string[];
  allowLoopback?: boolean;
}): TargetUrlValidator {
  const config = { webhooks } as unknown as Config;
  return new TargetUrlValidator(config, new AddressPolicy(config), hostResolver);
}

describe('TargetUrlValidator', () => {
  const validator = createValidator({ allowHttp: false, allowCidrs: [] });
  const urlOfLength = (length: number) =>
    `https://hooks.example/${'a'.repeat(length - 'https://hooks.example/'.length)}`;

  it.each([
    ['a public name', 'https://hooks.example/a?b=c#d'],
    ['a public address', 'https://93.184.216.34:8443/'],
    ['a public IPv6 address', 'https://[2606:2800:220:1::1]/'],
    ['a name that does not resolve yet', 'https://soon.example/'],
    ['the longest URL', urlOfLength(MAX_URL_LENGTH)],
  ])('accepts %s', async (_name, url) => {
    expect(await validator.findViolation(url)).toBeNull();
  });

  it.each([
    ['a URL one character too long', urlOfLength(MAX_URL_LENGTH + 1), 'must have at most 2048 characters'],
    ['a relative URL', '/hook', 'must be a URL'],
    ['no URL', '', 'must be a URL'],
    ['a space', 'https://hooks.example/a b', 'must be a URL'],
    ['a control character', 'https://hooks.example/\u0007', 'must be a URL'],
    ['a line break at the end', 'https://hooks.example/\n', 'must be a URL'],
    ['http', 'http://hooks.example/', 'must use https'],
    ['another protocol', 'ftp://hooks.example/', 'must use https'],
    ['a user name', 'https://ada@hooks.example/', 'must not contain a user name or password'],
    ['a password', 'https://:secret@hooks.example/', 'must not contain a user name or password'],
    ['a private address', 'https://10.1.2.3/', 'must resolve to public addresses only'],
    ['the loopback address as a number', 'https://2130706433/', 'must resolve to public addresses only'],
    ['the IPv6 loopback address', 'https://[::1]/', 'must resolve to public addresses only'],
    ['a name with a private address', 'https://private.example/', 'must resolve to public addresses only'],
    ['a name with one private address', 'https://mixed.example/', 'must resolve to public addresses only'],
  ])('rejects %s', async (_name, url, violation) => {
    expect(await validator.findViolation(url)).toBe(violation);
  });

  it('accepts http and the addresses that the operator allows, and no other protocol', async () => {
    const lenientValidator = createValidator({ allowHttp: true, allowCidrs: ['10.1.0.0/16'] });
    expect(await lenientValidator.findViolation('http://private.example/')).toBeNull();
    expect(await lenientValidator.findViolation('http://10.2.0.1/')).toBe('must resolve to public addresses only');
    expect(await lenientValidator.findViolation('ftp://private.example/')).toBe('must use https');
  });

  describe('in local development', () => {
    const localValidator = createValidator({ allowHttp: false, allowCidrs: [], allowLoopback: true });

    it.each(['http://localhost:4401/hooks', 'http://127.0.0.1/', 'http://[::1]:80/', 'https://127.9.9.9/'])(
      'accepts %s',
      async (url) => expect(await localValidator.findViolation(url)).toBeNull(),
    );

    it.each([
      ['http://hooks.example/', 'WEBHOOK_ALLOW_HTTP'],
      ['http://soon.example/', 'WEBHOOK_ALLOW_HTTP'],
      ['http://localhost.example/', 'WEBHOOK_ALLOW_HTTP'],
      ['http://0.0.0.0/', 'WEBHOOK_ALLOW_HTTP'],
      ['https://0.0.0.0/', 'WEBHOOK_ALLOW_CIDRS'],
      ['https://10.1.2.3/', 'WEBHOOK_ALLOW_CIDRS'],
      ['https://169.254.169.254/', 'WEBHOOK_ALLOW_CIDRS'],
      ['https://mixed.example/', 'WEBHOOK_ALLOW_CIDRS'],
      ['ftp://localhost/', 'must use https'],
    ])('rejects %s and names %s', async (url, name) => {
      expect(await localValidator.findViolation(url)).toContain(name);
    });
  });

  it('does not hide an unexpected failure of the resolver', async () => {
    const failure = new Error('resolver failed');
    const config = { webhooks: { allowHttp: false, allowCidrs: [] } } as unknown as Config;
    const failing = { resolveHost: () => Promise.reject(failure) } as unknown as HostResolver;
    const failingValidator = new TargetUrlValidator(config, new AddressPolicy(config), failing);
    await expect(failingValidator.findViolation('https://hooks.example/')).rejects.toBe(failure);
  });
});
