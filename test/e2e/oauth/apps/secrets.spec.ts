import { Retention } from '../../../../src/persistence';
import { query } from '../../../support/database';
import { AccountDevice, ok } from '../../../support/device/foreign-device';
import { basic, ThirdParty } from '../../../support/oauth/third-party';
import { problem } from '../../../support/problems';
import { Service } from '../../../support/service';

describe("an app's secrets", () => {
  let service: Service;
  let ada: AccountDevice;
  let app: ThirdParty;
  const at = (rest = '') => `/v1/developer/apps/${app.clientId}${rest}`;
  const add = (body: object = {}) => service.http.post(at('/secrets'), ada.token, body);
  const secrets = async () => ok(await service.http.get(at(), ada.token), 200).data.secrets;
  const remove = (id: string) => service.http.delete(at(`/secrets/${id}`), ada.token);
  const works = async (secret: string) => {
    const headers = { Authorization: basic(app.clientId, secret) };
    return (await app.post('introspect', { token: 'x' }, headers)).status === 200;
  };

  beforeAll(async () => {
    service = await Service.start();
  });
  afterAll(() => service?.stop());
  beforeEach(async () => {
    ada = await AccountDevice.signUp(service.http);
    app = await ThirdParty.register(ada);
  });

  it('work beside each other', async () => {
    const answer = await add();
    const { data, clientSecret, ...rest } = ok(answer, 201);
    expect(rest).toEqual({});
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(clientSecret).toMatch(/^svc_ocs_[0-9A-Za-z]{36}$/);
    expect(data.secrets).toMatchObject([
      { last4: app.clientSecret.slice(-4), expiresAt: null },
      { last4: clientSecret.slice(-4), expiresAt: null, lastUsedAt: null },
    ]);
    expect(await works(app.clientSecret)).toBe(true);
    expect(await works(clientSecret)).toBe(true);
  });

  it('end after an overlap when a new one comes, those that end earlier as they would', async () => {
    const second = ok(await add({ expireOthersInSeconds: 100 }), 201);
    const third = ok(await add({ expireOthersInSeconds: 1_000 }), 201);
    const [first, , last] = await secrets();
    expect(first.expiresAt - first.createdAt).toBeLessThan(200_000);
    expect(last.expiresAt).toBeNull();
    service.advance(99_000);
    expect(await works(app.clientSecret)).toBe(true);
    service.advance(2_000);
    expect(await works(app.clientSecret)).toBe(false);
    expect(await works(second.clientSecret)).toBe(true);
    service.advance(1_000_000);
    expect(await works(second.clientSecret)).toBe(false);
    expect(await works(third.clientSecret)).toBe(true);
    expect(await secrets()).toHaveLength(1);
    await service.app.get(Retention, { strict: false }).run();
    const rows = await query(service, 'SELECT 1 FROM developer_app_secrets WHERE app_id = $1', [app.clientId]);
    expect(rows).toHaveLength(1);
  });

  it('end at once with an overlap of 0, so that there is room for the new one', async () => {
    await add();
    await add();
    const { data, clientSecret } = ok(await add({ expireOthersInSeconds: 0 }), 201);
    expect(data.secrets).toHaveLength(1);
    expect(await works(app.clientSecret)).toBe(false);
    expect(await works(clientSecret)).toBe(true);
  });

  it('are three at most, also when they come at once; a refused one ends nothing', async () => {
    const answers = await Promise.all(Array.from({ length: 6 }, () => add()));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 409, 409, 409, 409]);
    problem(await add({ expireOthersInSeconds: 60 }), 409, 'conflict');
    expect((await secrets()).map((secret: any) => secret.expiresAt)).toEqual([null, null, null]);
  });

  it('are removed one by one, the last one never, also when two go at once', async () => {
    ok(await add(), 201);
    const [first, second] = await secrets();
    const answers = await Promise.all([remove(first.id), remove(second.id)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 409]);
    const [kept] = await secrets();
    problem(await remove(kept.id), 409, 'conflict');
    expect(await secrets()).toHaveLength(1);
  });

  it('work no more once they are removed', async () => {
    const { clientSecret } = ok(await add(), 201);
    const [first] = await secrets();
    expect((await remove(first.id)).status).toBe(204);
    expect(await works(app.clientSecret)).toBe(false);
    expect(await works(clientSecret)).toBe(true);
  });

  it('that are unknown, malformed, removed or of another app are the same 404', async () => {
    const other = await ThirdParty.register(ada);
    const { data } = ok(await service.http.get(`/v1/developer/apps/${other.clientId}`, ada.token), 200);
    ok(await add(), 201);
    const [first] = await secrets();
    await remove(first.id);
    ok(await add(), 201);
    for (const id of [data.secrets[0].id, first.id, 'sec_00000000000000000000000000', 'x', '%00']) {
      problem(await remove(id), 404, 'not_found');
    }
    expect(await secrets()).toHaveLength(2);
  });

  it.each([-1, 1.5, '60', 2_592_001, [], true])('end in no %j seconds', async (expireOthersInSeconds) => {
    const answer = await add({ expireOthersInSeconds });
    expect(problem(answer, 400, 'invalid_request').errors[0].path).toBe('/expireOthersInSeconds');
    expect(await secrets()).toHaveLength(1);
  });
});
