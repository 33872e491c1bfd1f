import { ForeignAccountDevice, expectStatus } from '../../support/device/foreign-device';
import { Service } from '../../support/service';

const PATH = '/v1/account/external-tokens';

describe('token records', () => {
  let service: Service;
  let ada: ForeignAccountDevice;
  let bob: ForeignAccountDevice;

  beforeAll(async () => {
    service = await Service.start();
    ada = await ForeignAccountDevice.signUp(service.http);
    bob = await ForeignAccountDevice.signUp(service.http);
  });
  afterAll(() => service?.stop());

  it('are listed newest first in pages, without secrets', async () => {
    const made: { id: string; token: string }[] = [];
    for (let i = 0; i < 5; i++) made.unshift(await ada.createToken(['sessions:read'], { name: `t${i}` }));
    const first = expectStatus(await service.http.get(`${PATH}?limit=3`, ada.token), 200);
    const second = expectStatus(await service.http.get(`${PATH}?cursor=${first.nextCursor}`, ada.token), 200);
    const all = [...first.data, ...second.data];
    expect(all.map((record) => record.id)).toEqual(made.map(({ id }) => id));
    expect(second.nextCursor).toBeNull();
    for (const { token } of made) expect(JSON.stringify(all)).not.toContain(token.slice(8));
    const other = expectStatus(await service.http.get(PATH, bob.token), 200);
    expect(other).toEqual({ data: [], nextCursor: null });
  });

  it('can be fetched individually, with the fields of the creation response', async () => {
    const body = { name: 'ci', scopes: ['machines:read'] };
    const created = expectStatus(await service.http.post(PATH, ada.token, body), 201);
    expect(expectStatus(await service.http.get(`${PATH}/${created.data.id}`, ada.token), 200)).toEqual({
      data: created.data,
    });
  });

  it('have another name after PATCH, which /me shows at once', async () => {
    const { id, token } = await ada.createToken(['sessions:read'], { name: 'old' });
    const readName = async () => expectStatus(await service.http.get('/external/v1/me', token), 200).data.token.name;
    expect(await readName()).toBe('old');
    const rename = { token: ada.token, json: { name: 'new' } };
    expect(expectStatus(await service.http.request('PATCH', `${PATH}/${id}`, rename), 200).data.name).toBe('new');
    for (const name of ['', ' ', 'x'.repeat(101), 'in\u200bvisible', null]) {
      const json = { name };
      const refused = await service.http.request('PATCH', `${PATH}/${id}`, { token: ada.token, json });
      expect([name, refused.status, refused.body.errors?.[0].path]).toEqual([name, 400, '/name']);
    }
    expect(await readName()).toBe('new');
    for (const [path, by] of [
      [`${PATH}/${id}`, bob],
      [`${PATH}/tok_unknown`, ada],
    ] as const) {
      const refused = await service.http.request('PATCH', path, { ...rename, token: by.token });
      expect([refused.status, refused.body.code]).toEqual([404, 'not_found']);
    }
  });

  it('are revoked at once by DELETE, which is idempotent', async () => {
    const { id, token } = await ada.createToken(['sessions:read']);
    expectStatus(await service.http.get('/external/v1/me', token), 200);
    const deleted = await service.http.delete(`${PATH}/${id}`, ada.token);
    expect(deleted.status).toBe(204);
    expect(deleted.body).toBeNull();
    const httpResponse = await service.http.get('/external/v1/me', token);
    expect(httpResponse.status).toBe(401);
    expect(httpResponse.body).toMatchObject({ code: 'invalid_token', reason: 'revoked' });
    expect(expectStatus(await service.http.get(`${PATH}/${id}`, ada.token), 200).data.state).toBe('revoked');
    expectStatus(await service.http.delete(`${PATH}/${id}`, ada.token), 204);
  });

  it('are 404 for another account, like unknown and malformed ids', async () => {
    const { id, token } = await bob.createToken(['sessions:read']);
    const ids = [id, 'tok_00000000000000000000000000', 'tok_', id.toUpperCase(), `${id}%00`, '%00', ada.id];
    for (const other of ids) {
      const answers = [
        await service.http.get(`${PATH}/${other}`, ada.token),
        await service.http.delete(`${PATH}/${other}`, ada.token),
        await service.http.post(`${PATH}/${other}/rotate`, ada.token, {}),
      ];
      for (const { status, body } of answers) {
        expect({ status, code: body.code, detail: body.detail }).toEqual({
          status: 404,
          code: 'not_found',
          detail: 'There is no such token.',
        });
      }
    }
    expectStatus(await service.http.get('/external/v1/me', token), 200);
  });
});
