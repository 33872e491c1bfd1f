import createClient from 'openapi-fetch';
import { GrantedSession } from '../../support/content/granted-session';
import { createReaderKey, sealWithJose } from '../../support/content/jose-keys';
import { ForeignAccountDevice } from '../../support/device/foreign-device';
import { DeviceSocket } from '../../support/device/device-socket';
import type { components, paths } from '../../../clients/typescript/src/generated/external-api.ts';
import { Service } from '../../support/service';

type Session = components['schemas']['Session'];

/** Caller with only openapi.json: types generated from it, typed requests, and the real service. */
describe('a client generated from the document', () => {
  let service: Service;
  let ada: ForeignAccountDevice;
  let token: string;

  beforeAll(async () => {
    service = await Service.start();
    ada = await ForeignAccountDevice.signUp(service.http);
    for (let i = 0; i < 3; i++) await ada.createSession(ada);
    ({ token } = await ada.createToken(['sessions:read', 'machines:invoke']));
  });
  afterAll(() => service?.stop());

  const client = (credential = token) =>
    createClient<paths>({
      baseUrl: `${service.url}/external/v1`,
      headers: { Authorization: `Bearer ${credential}` },
    });

  it('gets its identity', async () => {
    const { data, response } = await client().GET('/me');
    expect(data?.data.account.username).toBe(ada.username);
    expect(data?.data.token.scopes).toEqual(['sessions:read', 'machines:invoke']);
    expect(data?.meta.rateLimit.limit).toBe(Number(response.headers.get('x-ratelimit-limit')));
  });

  it('reads a list by its cursor', async () => {
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

  it('calls the operations of the host below the server of the document, as most generators do', async () => {
    const device = client(ada.token);
    const created = await device.POST('/v1/account/external-tokens', {
      body: { name: 'ci', scopes: ['sessions:read'] },
    });
    expect(created.data).toMatchObject({ data: { name: 'ci' }, token: expect.stringMatching(/^svc_pat_/) });
    const body = { name: 'app', redirectUris: ['https://app.test/callback'] };
    expect((await device.POST('/v1/developer/apps', { body })).response.status).toBe(201);
    const { id } = await ada.createSession(ada);
    const granted = await device.POST('/v1/sessions/{id}/key-grants', {
      params: { path: { id } },
      body: {} as components['schemas']['CreateKeyGrant'],
    });
    expect(granted.response.status).toBe(400);
    const other = await service.http.get('/external/v1/v1/account/external-tokens', ada.token);
    expect(other).toMatchObject({ status: 404, body: { code: 'not_found' } });
  });

  it('runs a command on a machine', async () => {
    const machine = await ada.pairDevice('machine');
    const body = { name: 'box', platform: 'linux' };
    const { id } = (await service.http.post('/v1/machines', machine.token, body)).body.data;
    const socket = await DeviceSocket.connect(service.url, machine.token, ['machine.invoke']);
    socket.setHandler(({ params }) => ({ ok: true, result: { exitCode: 0, stdout: params.args[0] } }));
    const { data } = await client().POST('/machines/{id}/invoke', {
      params: { path: { id }, header: { 'Idempotency-Key': 'from-a-generated-client' } },
      body: { command: 'echo', args: ['hi'] },
    });
    expect(data?.result).toEqual({ exitCode: 0, stdout: 'hi' });
    socket.close();
  });

  it('creates a token, an app and a key grant at the root of the host, with a device token', async () => {
    const host = createClient<paths>({
      baseUrl: service.url,
      headers: { Authorization: `Bearer ${ada.token}` },
    });
    const created = await host.POST('/v1/account/external-tokens', {
      body: { name: 'made by a generated client', scopes: ['usage:read'], expiresInDays: 1 },
    });
    expect(created.data?.data).toMatchObject({ state: 'active', scopes: ['usage:read'] });
    expect((await client(created.data!.token).GET('/usage')).response.status).toBe(200);

    const app = await host.POST('/v1/developer/apps', {
      body: { name: 'Notes', redirectUris: ['https://app.example/callback'] },
    });
    expect(app.data?.clientSecret).toMatch(/^svc_ocs_/);

    const session = await GrantedSession.createSession(ada);
    const reader = await createReaderKey('X25519', 'reader-1');
    const granted = await host.POST('/v1/sessions/{id}/key-grants', {
      params: { path: { id: session.id } },
      body: {
        recipient: reader.publicKey as components['schemas']['RecipientKey'],
        sealedKey: await sealWithJose(reader.publicKey, session.key.jwk),
      },
    });
    expect(granted.data?.data).toMatchObject({ sessionId: session.id, recipientKeyId: 'reader-1' });
  });

  it('distinguishes errors by code', async () => {
    const { error, response } = await client().GET('/machines');
    expect(response.status).toBe(403);
    if (error?.code !== 'insufficient_scope') throw new Error(`unexpected ${error?.code}`);
    // The compiler narrows the type by the code.
    expect(error.required).toEqual(['machines:read']);
    const refused = await client('svc_pat_nonsense').GET('/me');
    expect(refused.error).toMatchObject({ code: 'invalid_token', reason: 'malformed' });
  });

  it('gets an error for the calls that its compiler rejects', async () => {
    // @ts-expect-error unknown path
    const unknownPath = await client().GET('/secrets');
    expect(unknownPath.response.status).toBe(404);
    // @ts-expect-error unknown state
    const unknownState = await client().GET('/sessions', { params: { query: { state: 'asleep' } } });
    expect(unknownState.error).toMatchObject({ code: 'invalid_request', errors: [{ in: 'query', path: '/state' }] });
    const params = { path: { id: 'mch_00000000000000000000000000' } };
    // @ts-expect-error the command is required
    const noCommand = await client().POST('/machines/{id}/invoke', { params, body: { args: [] } });
    expect(noCommand.error).toMatchObject({ code: 'invalid_request', errors: [{ in: 'body', path: '/command' }] });
  });
});
