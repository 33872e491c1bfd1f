import { TokenVerifierRegistry } from '../../../src/access/auth';
import { ConsoleClient } from '../../support/console-client';
import { expectStatus, ForeignAccountDevice } from '../../support/device/foreign-device';
import { EventStreamClient } from '../../support/event-stream-client';
import { Service } from '../../support/service';
import { waitFor } from '../../support/wait-for';

const MINUTE = 60_000;

describe('the address of the last use of a token', () => {
  let service: Service;
  let ada: ForeignAccountDevice;
  let visitor: ConsoleClient;

  beforeAll(async () => {
    service = await Service.start({ TRUST_PROXY: '1' });
    ada = await ForeignAccountDevice.signUp(service.http);
    visitor = await ConsoleClient.signIn(service.url, ada);
  });
  afterAll(() => service?.stop());

  /** Calls through a proxy that names the client, and a client that claims another address. */
  const use = async (token: string, address: string) => {
    const headers = { 'X-Forwarded-For': `198.51.100.1, ${address}` };
    expectStatus(await service.http.get('/external/v1/me', token, { headers }), 200);
  };
  const readPage = async (id: string) => (await visitor.get(`/console/tokens/${id}`)).html;
  const waitForAddress = (id: string, address: string) =>
    waitFor(async () => expect(await readPage(id)).toContain(`from <span class="mono">${address}</span>`));

  it('is that of the client, on the page of the token, and changes at most once a minute', async () => {
    const { id, token } = await ada.createToken(['sessions:read']);
    expect(await readPage(id)).not.toContain(' from ');
    await use(token, '::ffff:203.0.113.7');
    await waitForAddress(id, '203.0.113.7');
    service.advanceClock(50_000);
    await use(token, '203.0.113.8');
    service.advanceClock(11_000);
    await use(token, '[2001:DB8:0:0::1]:443');
    await waitForAddress(id, '2001:db8::1');
    expect(await readPage(id)).not.toContain('203.0.113');
  });

  it('is that of a call also while an event stream is open, whose checks are no calls', async () => {
    const { id, token } = await ada.createToken(['sessions:read']);
    const headers = { 'X-Forwarded-For': '203.0.113.10' };
    const stream = await EventStreamClient.open(`${service.url}/external/v1/events`, token, { headers });
    await waitForAddress(id, '203.0.113.10');
    const checks = jest.spyOn(service.app.get(TokenVerifierRegistry, { strict: false }), 'verifyTokens');
    service.advanceClock(2 * MINUTE);
    await waitFor(() => expect(checks.mock.calls.length).toBeGreaterThan(2));
    checks.mockRestore();
    expect(await readPage(id)).toContain('203.0.113.10');
    await use(token, '203.0.113.11');
    await waitForAddress(id, '203.0.113.11');
    await stream.close();
  });

  it('is in the export of the account, and in no response of the APIs', async () => {
    const { id, token } = await ada.createToken(['sessions:read']);
    service.advanceClock(MINUTE);
    await use(token, '203.0.113.9');
    await waitForAddress(id, '203.0.113.9');
    const exported = expectStatus(await service.http.get('/v1/account/export', ada.token), 200);
    expect(exported.data.tokens.find((each: { id: string }) => each.id === id)).toMatchObject({
      lastUsedAddress: '203.0.113.9',
    });
    for (const [path, by] of [
      ['/external/v1/me', token],
      [`/v1/account/external-tokens/${id}`, ada.token],
      ['/v1/account/external-tokens', ada.token],
    ] as const) {
      expect(JSON.stringify(expectStatus(await service.http.get(path, by), 200))).not.toContain('203.0.113.9');
    }
  });
});
