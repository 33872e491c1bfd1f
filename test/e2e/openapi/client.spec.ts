import createClient from 'openapi-fetch';
import { AccountDevice } from '../../support/device/foreign-device';
import { DeviceSocket } from '../../support/device/device-socket';
import type { components, paths } from '../../support/generated/external-api';
import { Service } from '../../support/service';

type Session = components['schemas']['Session'];

/** A caller with nothing but openapi.json: types made from it, requests made from the types, the real service. */
describe('a client generated from the document', () => {
  let service: Service;
  let ada: AccountDevice;
  let token: string;

  beforeAll(async () => {
    service = await Service.start();
    ada = await AccountDevice.signUp(service.http);
    for (let i = 0; i < 3; i++) await ada.openSession(ada);
    ({ token } = await ada.createToken(['sessions:read', 'machines:invoke']));
  });
  afterAll(() => service?.stop());

  const client = (credential = token) =>
    createClient<paths>({
      baseUrl: `${service.url}/external/v1`,
      headers: { Authorization: `Bearer ${credential}` },
    });

  it('learns who it is', async () => {
    const { data, response } = await client().GET('/me');
    expect(data?.data.account.username).toBe(ada.username);
    expect(data?.data.token.scopes).toEqual(['sessions:read', 'machines:invoke']);
    expect(data?.meta.rateLimit.limit).toBe(Number(response.headers.get('x-ratelimit-limit')));
  });

  it('walks through a list by its cursor', async () => {
    const sessions: Session[] = [];
    let cursor: string | undefined;
    do {
      const { data } = await client().GET('/sessions', { params: { query: { limit: 2, cursor } } });
      sessions.push(...data!.data);
      cursor = data!.nextCursor ?? undefined;
    } while (cursor);
    expect(new Set(sessions.map(({ id }) => id)).size).toBe(3);
    expect(sessions.every(({ state, endedAt }) => state === 'active' && endedAt === null)).toBe(true);
  });

  it('runs a command on a machine', async () => {
    const machine = await ada.adopt('machine');
    const body = { name: 'box', platform: 'linux' };
    const { id } = (await service.http.post('/v1/machines', machine.token, body)).body.data;
    const socket = await DeviceSocket.connect(service.url, machine.token, ['machine.invoke']);
    socket.answerWith(({ params }) => ({ ok: true, result: { exitCode: 0, stdout: params.args[0] } }));
    const { data } = await client().POST('/machines/{id}/invoke', {
      params: { path: { id }, header: { 'Idempotency-Key': 'from-a-generated-client' } },
      body: { command: 'echo', args: ['hi'] },
    });
    expect(data?.result).toEqual({ exitCode: 0, stdout: 'hi' });
    socket.close();
  });

  it('tells errors apart by their code', async () => {
    const { error, response } = await client().GET('/machines');
    expect(response.status).toBe(403);
    if (error?.code !== 'insufficient_scope') throw new Error(`unexpected ${error?.code}`);
    // Known to the compiler by the code alone.
    expect(error.required).toEqual(['machines:read']);
    const refused = await client('svc_pat_nonsense').GET('/me');
    expect(refused.error).toMatchObject({ code: 'invalid_token', reason: 'malformed' });
  });

  it('is kept by its compiler from what the document does not have', () => {
    const misuse = async () => {
      // @ts-expect-error no such path
      await client().GET('/secrets');
      // @ts-expect-error no such state
      await client().GET('/sessions', { params: { query: { state: 'asleep' } } });
      // @ts-expect-error the command is required
      await client().POST('/machines/{id}/invoke', { params: { path: { id: 'x' } }, body: { args: [] } });
    };
    expect(misuse).toBeInstanceOf(Function);
  });
});
