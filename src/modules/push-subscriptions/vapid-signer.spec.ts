import { createPrivateKey } from 'node:crypto';
import { decodeJwt } from 'jose';
import { HOUR } from '../../common/clock';
import { VapidSigner } from './vapid-signer';

/** RFC 7517, appendix A.2. */
const privateKey = createPrivateKey({
  format: 'jwk',
  key: {
    kty: 'EC',
    crv: 'P-256',
    x: 'MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4',
    y: '4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM',
    d: '870MB6gfuTJ4HtUnUvYMyJpr5eUZNP4Bk43bVdj3eAE',
  },
});
const push = { privateKey, publicKey: 'key', subject: 'mailto:operator@example.com', allowHosts: [] };

describe('the tokens for push services', () => {
  let now: number;
  let signer: VapidSigner;
  beforeEach(() => {
    now = 1_800_000_000_000;
    signer = new VapidSigner({ now: () => now } as never);
  });
  const countTokens = () => (signer as unknown as { tokens: Map<string, unknown> }).tokens.size;
  const sign = (host: string) => signer.buildAuthorization(push, `https://${host}/push/1`);

  it('are one for each origin, until an hour before it expires', async () => {
    const first = await sign('a.example');
    now += 11 * HOUR;
    expect(await sign('a.example')).toBe(first);
    now += 1;
    const second = await sign('a.example');
    expect(second).not.toBe(first);
    const { aud, exp } = decodeJwt(/t=([^,]+)/.exec(second)![1]!);
    expect({ aud, exp }).toEqual({ aud: 'https://a.example', exp: Math.floor((now + 12 * HOUR) / 1_000) });
  });

  it('are dropped once they are not used any more', async () => {
    for (let n = 0; n < 100; n++) await sign(`${n}.example`);
    expect(countTokens()).toBe(100);
    now += 6 * HOUR;
    await sign('late.example');
    now += 6 * HOUR;
    await sign('later.example');
    expect(countTokens()).toBe(2);
  });
});
