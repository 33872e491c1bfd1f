import { setTimeout as sleep } from 'node:timers/promises';
import { ForeignAccountDevice, expectStatus } from '../../support/device/foreign-device';
import { Service } from '../../support/service';

const INVOKE = '/external/v1/machines/mch_00000000000000000000000000/invoke';

describe('the order of checks', () => {
  let service: Service;
  let ada: ForeignAccountDevice;
  let token: string;
  let unscoped: string;
  const broken = { raw: '{', headers: { 'Content-Type': 'application/json' } };
  const code = async (method: string, path: string, options: object) =>
    (await service.http.request(method, path, options)).body.code;

  beforeAll(async () => {
    service = await Service.start({ RATE_LIMIT_RELAY: '6' });
    ada = await ForeignAccountDevice.signUp(service.http);
    ({ token } = await ada.createToken(['machines:invoke', 'machines:read']));
    ({ token: unscoped } = await ada.createToken(['usage:read']));
  });
  afterAll(() => service?.stop());

  it('is route, method, credential, scope, request format, existence', async () => {
    const bad = 'svc_pat_nonsense';
    expect(await code('POST', '/external/v1/nothing', { token: bad, ...broken })).toBe('not_found');
    expect(await code('PUT', INVOKE, { token: bad, ...broken })).toBe('method_not_allowed');
    expect(await code('POST', INVOKE, broken)).toBe('missing_token');
    expect(await code('POST', INVOKE, { token: bad, ...broken })).toBe('invalid_token');
    expect(await code('POST', `${INVOKE}?x=1`, { token: bad, ...broken })).toBe('invalid_token');
    expect(await code('POST', INVOKE, { token: unscoped, ...broken })).toBe('insufficient_scope');
    expect(await code('POST', INVOKE, { token, ...broken })).toBe('invalid_request');
    expect(await code('POST', INVOKE, { token, json: {} })).toBe('invalid_request');
    expect(await code('POST', INVOKE, { token, json: { command: 'x' } })).toBe('not_found');
  });

  it('puts the rate limit before scope and request format', async () => {
    const bob = await ForeignAccountDevice.signUp(service.http);
    const { token: poor } = await bob.createToken(['usage:read']);
    for (let i = 0; i < 6; i++)
      expect(await code('POST', INVOKE, { token: poor, ...broken })).toBe('insufficient_scope');
    expect(await code('POST', INVOKE, { token: poor, ...broken })).toBe('rate_limited');
    expect(await code('POST', INVOKE, { token: 'svc_pat_x', ...broken })).toBe('invalid_token');
  });

  it('is the same in the device API: credential, kind of device, request format, existence', async () => {
    const machine = await ada.pairDevice('machine');
    const path = '/v1/account/external-tokens/tok_00000000000000000000000000/rotate';
    expect(await code('POST', path, { token, ...broken })).toBe('invalid_token');
    expect(await code('POST', path, { token: machine.token, ...broken })).toBe('forbidden');
    expect(await code('POST', path, { token: ada.token, ...broken })).toBe('invalid_request');
    expect(await code('POST', path, { token: ada.token, json: {} })).toBe('not_found');
  });

  it('rejects a caller without a credential before reading its body', async () => {
    const gone = new AbortController();
    const endless = async function* () {
      while (!gone.signal.aborted) {
        yield Buffer.alloc(1024, ' ');
        await sleep(20);
      }
    };
    const response = await fetch(service.url + INVOKE, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: endless(),
      duplex: 'half',
      signal: gone.signal,
    } as unknown as RequestInit);
    expect(response.status).toBe(401);
    gone.abort();
    expectStatus(await service.http.get('/external/v1/machines', token), 200);
  });
});
