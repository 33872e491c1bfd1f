import { AccountDevice } from '../../../support/device/foreign-device';
import { consent, encode, OAUTH, ThirdParty } from '../../../support/oauth/third-party';
import { Service } from '../../../support/service';

/** `%XX` → bytes, `+` → space: as a form is decoded, without a text in between. */
function bytesOfQuery(url: string, name: string): Buffer | null {
  const pair = url
    .slice(url.indexOf('?') + 1)
    .split('&')
    .find((one) => one.startsWith(`${name}=`));
  if (pair === undefined) return null;
  const text = pair.slice(name.length + 1).replace(/\+/g, ' ');
  const decoded = text.replace(/%(..)/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)));
  return Buffer.from(decoded, 'latin1');
}

describe('state (RFC 6749 §4.1.1, §10.12)', () => {
  let service: Service;
  let ada: AccountDevice;
  let app: ThirdParty;
  const everyByte = Buffer.from(Array.from({ length: 2_048 }, (_, i) => i & 255));
  const hex = (bytes: Buffer) => Array.from(bytes, (byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
  const authorize = (state: string, changes: Record<string, string | null> = {}) => {
    const query = encode({ ...app.authorizationRequest(), state: null, ...changes });
    return service.http.get(`${OAUTH}/authorize?${query}&state=${state}`);
  };

  beforeAll(async () => {
    service = await Service.start();
    ada = await AccountDevice.signUp(service.http);
    app = await ThirdParty.register(ada, 'http://127.0.0.1/cb');
  });
  afterAll(() => service?.stop());

  it.each(['allow', 'deny'] as const)('of 2 kB and every byte comes back byte for byte: %s', async (word) => {
    const location = await consent(service, ada, await authorize(hex(everyByte)), word);
    expect(bytesOfQuery(location, 'state')!.equals(everyByte)).toBe(true);
    expect(location).toMatch(/^[\x21-\x7e]+$/);
  });

  it('comes back with an error, too', async () => {
    const location = (await authorize(hex(everyByte), { scope: null })).headers.get('location')!;
    expect(bytesOfQuery(location, 'state')!.equals(everyByte)).toBe(true);
  });

  it.each(['xyz', 'a+b', 'a%20b', '100%', '%zz', "!'()*-._~", '💻', '{"a":1}'])('%s comes back', async (state) => {
    const location = await consent(service, ada, await authorize(encodeURI(state)));
    const sent = new URLSearchParams(`state=${encodeURI(state)}`).get('state');
    expect(new URL(location).searchParams.get('state')).toBe(sent);
  });

  it.each(['', '&state='])('that is empty is none (RFC 6749 §3.1): %j', async (rest) => {
    const location = await consent(service, ada, await authorize(rest));
    expect(new URL(location).searchParams.has('state')).toBe(false);
    expect(new URL(location).searchParams.get('iss')).toBe(service.url);
  });
});
