import { queryDatabase } from '../../support/database';
import { ForeignAccountDevice, expectStatus } from '../../support/device/foreign-device';
import { ThirdPartyApp } from '../../support/oauth/third-party-app';
import { LOOPBACK_WEBHOOKS_ENV } from '../../support/webhooks/webhook-fixture';
import { Service } from '../../support/service';

describe('an Idempotency-Key of an app', () => {
  let service: Service;
  let app: ThirdPartyApp;
  beforeAll(async () => {
    service = await Service.start(LOOPBACK_WEBHOOKS_ENV);
    app = await ThirdPartyApp.register(await ForeignAccountDevice.signUp(service.http));
  });
  afterAll(() => service?.stop());

  const authorize = async (person: ForeignAccountDevice) =>
    app.obtainTokens(service, person, { scope: 'webhooks:manage sessions:read' });
  const createWebhook = async (accessToken: string, key: string) => {
    const body = { url: 'http://127.0.0.1:9/hook', events: ['session.created'] };
    const options = { headers: { 'Idempotency-Key': key } };
    const httpResponse = await service.http.post('/external/v1/webhooks', accessToken, body, options);
    const { id } = expectStatus(httpResponse, 201).data;
    return { id, isReplayed: httpResponse.headers.get('idempotency-replayed') === 'true' };
  };
  const findWebhookIds = async ({ accountId }: ForeignAccountDevice) =>
    (await queryDatabase<{ id: string }>(service, 'SELECT id FROM webhooks WHERE account_id = $1', [accountId])).map(
      ({ id }) => id,
    );

  it('never replays the response of another account', async () => {
    const ada = await ForeignAccountDevice.signUp(service.http);
    const bob = await ForeignAccountDevice.signUp(service.http);
    const ofAda = await createWebhook((await authorize(ada)).access_token, 'same');
    const ofBob = await createWebhook((await authorize(bob)).access_token, 'same');
    expect(ofAda.isReplayed).toBe(false);
    expect(ofBob.isReplayed).toBe(false);
    expect(await findWebhookIds(ada)).toEqual([ofAda.id]);
    expect(await findWebhookIds(bob)).toEqual([ofBob.id]);
  });

  it('replays the response of its account to a refreshed token', async () => {
    const ada = await ForeignAccountDevice.signUp(service.http);
    const tokens = await authorize(ada);
    const first = await createWebhook(tokens.access_token, 'refreshed');
    const refreshed = expectStatus(await app.refreshTokens(tokens.refresh_token), 200);
    expect(await createWebhook(refreshed.access_token, 'refreshed')).toEqual({ id: first.id, isReplayed: true });
    expect(await findWebhookIds(ada)).toEqual([first.id]);
  });
});
