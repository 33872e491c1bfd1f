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
  const sendMessage = (root: string, by: string) =>
    service.http.post(`/${root}/${UNKNOWN_SESSION}/messages`, by, { content: 'hello' });

  it.each([
    { bucket: 'metadata', limit: 4, call: readTurns },
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

  it('are not those of the other calls of a device', async () => {
    for (let i = 0; i < 5; i++) await readTurns('v1/control', phone.token);
    const { status, headers } = await service.http.get('/v1/sessions', phone.token);
    expect([status, headers.get('ratelimit-policy')]).toEqual([200, '"device";q=1200;w=60']);
  });
});
