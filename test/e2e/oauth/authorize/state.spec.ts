import { ForeignAccountDevice } from '../../../support/device/foreign-device';
import { decideConsent, encodeForm, OAUTH_PATH, ThirdPartyApp } from '../../../support/oauth/third-party-app';
import { Service } from '../../../support/service';

/** Decodes `%XX` to bytes and `+` to a space like a form, without decoding to text. */
function getQueryParameterBytes(url: string, name: string): Buffer | null {
  const pair = url
    .slice(url.indexOf('?') + 1)
    .split('&')
    .find((pairText) => pairText.startsWith(`${name}=`));
  if (pair === undefined) return null;
  const text = pair.slice(name.length + 1).replace(/\+/g, ' ');
  const decoded = text.replace(/%(..)/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)));
  return Buffer.from(decoded, 'latin1');
}

describe('state (RFC 6749 §4.1.1, §10.12)', () => {
  let service: Service;
  let ada: ForeignAccountDevice;
  let app: ThirdPartyApp;
  const everyByte = Buffer.from(Array.from({ length: 2_048 }, (_, i) => i & 255));
  const hex = (bytes: Buffer) => Array.from(bytes, (byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
  const authorize = (state: string, changes: Record<string, string | null> = {}) => {
    const query = encodeForm({ ...app.buildAuthorizationRequest(), state: null, ...changes });
    return service.http.get(`${OAUTH_PATH}/authorize?${query}&state=${state}`);
  };

  beforeAll(async () => {
    service = await Service.start();
    ada = await ForeignAccountDevice.signUp(service.http);
    app = await ThirdPartyApp.register(ada, 'http://127.0.0.1/cb');
  });
  afterAll(() => service?.stop());

  it.each(['allow', 'deny'] as const)('of 2 kB and every byte comes back byte for byte: %s', async (word) => {
    const location = await decideConsent(service, ada, await authorize(hex(everyByte)), word);
    expect(getQueryParameterBytes(location, 'state')!.equals(everyByte)).toBe(true);
    expect(location).toMatch(/^[\x21-\x7e]+$/);
  });

  it('is returned with an error, too', async () => {
    const location = (await authorize(hex(everyByte), { scope: null })).headers.get('location')!;
    expect(getQueryParameterBytes(location, 'state')!.equals(everyByte)).toBe(true);
  });

  it('may have 4,096 bytes, and a longer one is rejected and not returned', async () => {
    const longest = 'a'.repeat(4_096);
    const location = await decideConsent(service, ada, await authorize(longest));
    expect(new URL(location).searchParams.get('state')).toBe(longest);
    const { searchParams } = new URL((await authorize(`${longest}a`)).headers.get('location')!);
    expect([searchParams.get('error'), searchParams.has('state')]).toEqual(['invalid_request', false]);
  });

  it.each(['xyz', 'a+b', 'a%20b', '100%', '%zz', "!'()*-._~", '💻', '{"a":1}'])(
    '%s is returned unchanged',
    async (state) => {
      const location = await decideConsent(service, ada, await authorize(encodeURI(state)));
      const sent = new URLSearchParams(`state=${encodeURI(state)}`).get('state');
      expect(new URL(location).searchParams.get('state')).toBe(sent);
    },
  );

  it.each(['', '&state='])('is absent if empty (RFC 6749 §3.1): %j', async (rest) => {
    const location = await decideConsent(service, ada, await authorize(rest));
    expect(new URL(location).searchParams.has('state')).toBe(false);
    expect(new URL(location).searchParams.get('iss')).toBe(service.url);
  });
});
