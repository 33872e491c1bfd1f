import { ForeignAccountDevice, type ForeignDevice } from '../../support/device/foreign-device';
import { expectProblem } from '../../support/problems';
import { Service } from '../../support/service';

const UNKNOWN_SESSION = 'sessions/ses_00000000000000000000000000';

describe('the buckets of an account', () => {
  let service: Service;
  let ada: ForeignAccountDevice;
  let phone: ForeignDevice;
  let token: string;

  beforeAll(async () => {
    service = await Service.start({ RATE_LIMIT_METADATA: '4', RATE_LIMIT_RELAY: '3' });
  });
  beforeEach(async () => {
    ada = await ForeignAccountDevice.signUp(service.http);
    phone = await ada.pairDevice('account');
    ({ token } = await ada.createToken(['sessions:read', 'sessions:write']));
  });
  afterAll(() => service?.stop());

  const readTurns = (root: string, by: string) => service.http.get(`/${root}/${UNKNOWN_SESSION}/turns`, by);
  const cancelTurn = (root: string, by: string) =>
    service.http.post(`/${root}/${UNKNOWN_SESSION}/turns/turn_00000000000000000000000000/cancel`, by, undefined);
  const sendMessage = (root: string, by: string) =>
    service.http.post(`/${root}/${UNKNOWN_SESSION}/messages`, by, { content: 'hello' });

  it.each([
    { bucket: 'metadata', limit: 4, call: cancelTurn },
    { bucket: 'relay', limit: 3, call: sendMessage },
  ])('are shared by its tokens and the control calls of its devices: $bucket', async ({ bucket, limit, call }) => {
    const callers = [
      () => call('external/v1', token),
      () => call('v1/control', phone.token),
      () => call('v1/control', ada.token),
    ];
    for (let i = 0; i < limit; i++) {
      const httpResponse = await callers[i % callers.length]!();
      expectProblem(httpResponse, 404, 'not_found');
      expect(httpResponse.headers.get('ratelimit')).toContain(`"${bucket}";r=${limit - i - 1};`);
    }
    for (const caller of callers) {
      expect(expectProblem(await caller(), 429, 'rate_limited').bucket).toBe(bucket);
    }
  });

  it('are not those of control reads and of the other calls of a device', async () => {
    for (let i = 0; i < 5; i++) await cancelTurn('v1/control', phone.token);
    for (const path of ['/v1/sessions', '/v1/control/machines', '/v1/control/artifacts']) {
      const { status, headers } = await service.http.get(path, phone.token);
      expect([path, status, headers.get('ratelimit-policy')]).toEqual([path, 200, '"device";q=1200;w=60']);
    }
  });

  it('are left to scripts by reads, whose bucket is that of each device', async () => {
    const remaining = async (by: string) => {
      const { headers } = await readTurns('v1/control', by);
      return Number(headers.get('x-ratelimit-remaining'));
    };
    const before = [await remaining(phone.token), await remaining(ada.token)];
    for (let i = 0; i < 5; i++) await readTurns('v1/control', phone.token);
    expect([await remaining(phone.token), await remaining(ada.token)]).toEqual([before[0]! - 6, before[1]! - 1]);
    const { headers } = await readTurns('external/v1', token);
    expect(headers.get('ratelimit')).toContain('"metadata";r=3;');
  });
});
