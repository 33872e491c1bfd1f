import { RetentionService } from '../../../../src/core/database';
import { AppSecretsService } from '../../../../src/modules/developer-apps';
import { queryDatabase } from '../../../support/database';
import { ForeignAccountDevice, expectStatus } from '../../../support/device/foreign-device';
import { createBasicAuthorization, ThirdPartyApp } from '../../../support/oauth/third-party-app';
import { expectProblem } from '../../../support/problems';
import { Service } from '../../../support/service';

describe("an app's secrets", () => {
  let service: Service;
  let ada: ForeignAccountDevice;
  let app: ThirdPartyApp;
  const at = (rest = '') => `/v1/developer/apps/${app.clientId}${rest}`;
  const add = (body: object = {}) => service.http.post(at('/secrets'), ada.token, body);
  const secrets = async () => expectStatus(await service.http.get(at(), ada.token), 200).data.secrets;
  const remove = (id: string) => service.http.delete(at(`/secrets/${id}`), ada.token);
  const works = async (secret: string) => {
    const headers = { Authorization: createBasicAuthorization(app.clientId, secret) };
    return (await app.postToEndpoint('introspect', { token: 'x' }, headers)).status === 200;
  };

  beforeAll(async () => {
    service = await Service.start();
  });
  afterAll(() => service?.stop());
  beforeEach(async () => {
    ada = await ForeignAccountDevice.signUp(service.http);
    app = await ThirdPartyApp.register(ada);
  });

  it('are valid in parallel', async () => {
    const httpResponse = await add();
    const { data, clientSecret, ...rest } = expectStatus(httpResponse, 201);
    expect(rest).toEqual({});
    expect(httpResponse.headers.get('cache-control')).toBe('no-store');
    expect(clientSecret).toMatch(/^svc_ocs_[0-9A-Za-z]{36}$/);
    expect(data.secrets).toMatchObject([
      { last4: app.clientSecret.slice(-4), expiresAt: null },
      { last4: clientSecret.slice(-4), expiresAt: null, lastUsedAt: null },
    ]);
    expect(await works(app.clientSecret)).toBe(true);
    expect(await works(clientSecret)).toBe(true);
  });

  it('expire after an overlap when a new one is added, or earlier if they already would', async () => {
    const second = expectStatus(await add({ expireOthersInSeconds: 100 }), 201);
    const third = expectStatus(await add({ expireOthersInSeconds: 1_000 }), 201);
    const [first, , last] = await secrets();
    expect(first.expiresAt - first.createdAt).toBeLessThan(200_000);
    expect(last.expiresAt).toBeNull();
    service.advanceClock(99_000);
    expect(await works(app.clientSecret)).toBe(true);
    service.advanceClock(2_000);
    expect(await works(app.clientSecret)).toBe(false);
    expect(await works(second.clientSecret)).toBe(true);
    service.advanceClock(1_000_000);
    expect(await works(second.clientSecret)).toBe(false);
    expect(await works(third.clientSecret)).toBe(true);
    expect(await secrets()).toHaveLength(1);
    await service.app.get(RetentionService, { strict: false }).deleteExpiredRows();
    const rows = await queryDatabase(service, 'SELECT 1 FROM developer_app_secrets WHERE app_id = $1', [app.clientId]);
    expect(rows).toHaveLength(1);
  });

  it('expire at once with an overlap of 0 and make room for the new one', async () => {
    await add();
    await add();
    const { data, clientSecret } = expectStatus(await add({ expireOthersInSeconds: 0 }), 201);
    expect(data.secrets).toHaveLength(1);
    expect(await works(app.clientSecret)).toBe(false);
    expect(await works(clientSecret)).toBe(true);
  });

  it('may overlap for thirty days, the most that is accepted', async () => {
    const [first, second] = expectStatus(await add({ expireOthersInSeconds: 2_592_000 }), 201).data.secrets;
    expect(first.expiresAt).toBe(second.createdAt + 2_592_000_000);
  });

  it('are limited to three, even concurrently; a rejected one doesn’t affect the others', async () => {
    const answers = await Promise.all(Array.from({ length: 6 }, () => add()));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 409, 409, 409, 409]);
    expectProblem(await add({ expireOthersInSeconds: 60 }), 409, 'conflict');
    expect((await secrets()).map((secret: any) => secret.expiresAt)).toEqual([null, null, null]);
  });

  it('change the time of the last update of their app when one is added or removed', async () => {
    const readUpdatedAt = async () => expectStatus(await service.http.get(at(), ada.token), 200).data.updatedAt;
    const createdAt = await readUpdatedAt();
    service.advanceClock(1_000);
    expectStatus(await add(), 201);
    const addedAt = await readUpdatedAt();
    expect(addedAt).toBeGreaterThanOrEqual(createdAt + 1_000);
    service.advanceClock(1_000);
    expectStatus(await remove((await secrets())[0].id), 204);
    expect(await readUpdatedAt()).toBeGreaterThanOrEqual(addedAt + 1_000);
  });

  it('can be removed except for the last one, even concurrently', async () => {
    expectStatus(await add(), 201);
    const [first, second] = await secrets();
    const answers = await Promise.all([remove(first.id), remove(second.id)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 409]);
    const [kept] = await secrets();
    expectProblem(await remove(kept.id), 409, 'conflict');
    expect(await secrets()).toHaveLength(1);
  });

  it('don’t work after their removal', async () => {
    const { clientSecret } = expectStatus(await add(), 201);
    const [first] = await secrets();
    expect((await remove(first.id)).status).toBe(204);
    expect(await works(app.clientSecret)).toBe(false);
    expect(await works(clientSecret)).toBe(true);
  });

  it('that have expired are left alone when an operator revokes one', async () => {
    expectStatus(await add({ expireOthersInSeconds: 1 }), 201);
    service.advanceClock(2_000);
    await service.app.get(AppSecretsService, { strict: false }).revokeIssuedToken(app.clientSecret);
    const rows = await queryDatabase(service, 'SELECT 1 FROM developer_app_secrets WHERE app_id = $1', [app.clientId]);
    expect(rows).toHaveLength(2);
  });

  it('that are unknown, malformed, removed or of another app are the same 404', async () => {
    const other = await ThirdPartyApp.register(ada);
    const { data } = expectStatus(await service.http.get(`/v1/developer/apps/${other.clientId}`, ada.token), 200);
    expectStatus(await add(), 201);
    const [first] = await secrets();
    await remove(first.id);
    expectStatus(await add(), 201);
    for (const id of [data.secrets[0].id, first.id, 'sec_00000000000000000000000000', 'x', '%00']) {
      expectProblem(await remove(id), 404, 'not_found');
    }
    expect(await secrets()).toHaveLength(2);
  });

  it.each([-1, 1.5, '60', 2_592_001, [], true])('reject an overlap of %j seconds', async (expireOthersInSeconds) => {
    const httpResponse = await add({ expireOthersInSeconds });
    expect(expectProblem(httpResponse, 400, 'invalid_request').errors[0].path).toBe('/expireOthersInSeconds');
    expect(await secrets()).toHaveLength(1);
  });
});
