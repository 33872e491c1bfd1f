import { compactDecrypt } from 'jose';
import { DAY } from '../../../src/common/clock';
import { ConsoleClient } from '../../support/console-client';
import { queryDatabase } from '../../support/database';
import { ForeignAccountDevice, expectStatus } from '../../support/device/foreign-device';
import { createForeignKeyPair } from '../../support/device/keys';
import { Service } from '../../support/service';

describe('the console’s page of tokens', () => {
  let service: Service;
  let ada: ForeignAccountDevice;
  let visitor: ConsoleClient;
  let csrf: string;
  beforeAll(async () => {
    service = await Service.start({ RATE_LIMIT_METADATA: '100000' });
    ada = await ForeignAccountDevice.signUp(service.http);
    visitor = await ConsoleClient.signIn(service.url, ada);
    csrf = await visitor.readCsrfToken();
  });
  afterAll(() => service?.stop());

  const create = (fields: string[][]) => visitor.post('/console/tokens', [['csrf', csrf], ...fields]);
  const secretIn = (html: string) => /svc_pat_[\w-]+(?=<\/code>)/.exec(html)![0];

  it('creates a token with exactly the form’s values', async () => {
    const { html } = await create([
      ['name', 'deploys'],
      ['scopes', 'machines:read'],
      ['scopes', 'sessions:read'],
      ['expiresInDays', '7'],
    ]);
    expect(html).toContain('<h2>Token deploys</h2>');
    const { data } = expectStatus(await service.http.get('/external/v1/me', secretIn(html)), 200);
    expect(data.token).toMatchObject({ name: 'deploys', scopes: ['machines:read', 'sessions:read'] });
    expect(data.token.expiresAt - data.token.createdAt).toBe(7 * 86_400_000);
  });

  it.each([
    [[['name', 'x']], 'Must contain at least 1|Choose at least one'],
    [[['scopes', 'sessions:read']], 'Is required'],
    [
      [
        ['name', 'x'],
        ['scopes', 'everything'],
      ],
      'must be one of',
    ],
    [
      [
        ['name', 'x'],
        ['scopes', 'sessions:read'],
        ['expiresInDays', '9999'],
      ],
      'must not be greater than 3650',
    ],
    [
      [
        ['name', 'x'.repeat(101)],
        ['scopes', 'sessions:read'],
      ],
      '100',
    ],
  ])('shows the form again for %j with the errors and the entered values', async (fields, words) => {
    const before = await visitor.get('/console/tokens');
    const { status, html } = await create(fields);
    expect(status).toBe(400);
    expect(html).toMatch(new RegExp(words, 'i'));
    for (const [name, value] of fields) if (name === 'name') expect(html).toContain(`value="${value}"`);
    const rows = (page: string) => page.split('<tr').length;
    expect(rows((await visitor.get('/console/tokens')).html)).toBe(rows(before.html));
  });

  it('shows an error when the plan’s limit is reached', async () => {
    for (;;) {
      const { status, html } = await create([
        ['name', 'many'],
        ['scopes', 'sessions:read'],
      ]);
      if (status === 200) continue;
      expect(status).toBe(403);
      expect(html).toContain('at most 50 active tokens');
      expect(html).toContain('value="many"');
      break;
    }
    const { html } = await visitor.get('/console/tokens?limit=20');
    const [, next] = /href="([^"]*cursor=[^"]*)"/.exec(html)!;
    const older = await visitor.get(next!.replaceAll('&amp;', '&'));
    expect(older.status).toBe(200);
    expect(older.html).toContain('>Newest<');
  });

  it('selects the scopes of a preset, and ignores an unknown one', async () => {
    const readSelected = async (query: string) => {
      const { status, html } = await visitor.get(`/console/tokens/new${query}`);
      expect(status).toBe(200);
      return [...html.matchAll(/name="scopes" value="([^"]+)" checked/g)].map(([, scope]) => scope);
    };
    expect(await readSelected('?preset=commands')).toEqual(['machines:read', 'machines:invoke']);
    expect(await readSelected('?preset=read')).not.toContain('sessions:write');
    for (const query of ['', '?preset=everything', '?preset=constructor', '?preset=']) {
      expect(await readSelected(query)).toEqual(['sessions:read']);
    }
    const { html } = await visitor.get('/console/tokens/new');
    for (const reserved of ['machines:invoke:verified', 'artifacts:write']) expect(html).not.toContain(reserved);
  });

  it('limits a token to the machines that are selected, and shows them', async () => {
    const bob = await ForeignAccountDevice.signUp(service.http);
    const client = await ConsoleClient.signIn(service.url, bob);
    expect((await client.get('/console/tokens/new')).html).not.toContain('Only these machines');
    const register = async (name: string): Promise<string> => {
      const body = { name, platform: 'linux' };
      const machine = await bob.pairDevice('machine');
      return expectStatus(await service.http.post('/v1/machines', machine.token, body), 201).data.id;
    };
    const [box, other] = [await register('<b>box</b>'), await register('other')];
    const form = (await client.get('/console/tokens/new')).html;
    expect(form).toContain('&lt;b>box&lt;/b>');
    for (const id of [box, other]) expect(form).toMatch(new RegExp(`name="machineIds" value="${id}"(?! checked)`));
    const submit = async (...fields: string[][]) => {
      const chosen = [['name', 'ci'], ['scopes', 'machines:invoke'], ...fields];
      return client.post('/console/tokens', [['csrf', await client.readCsrfToken()], ...chosen]);
    };
    const { html } = await submit(['machineIds', box]);
    const me = expectStatus(await service.http.get('/external/v1/me', secretIn(html)), 200).data;
    expect(me.token.machineIds).toEqual([box]);
    const page = (await client.get(`/console/tokens/${me.token.id}`)).html;
    expect(page).toContain(`href="/console/machines/${box}"`);
    expect(page).toContain('&lt;b>box&lt;/b>');
    expect(page).not.toContain(other);
    for (const path of ['/console/tokens', '/console/security-log'])
      expect((await client.get(path)).html).toContain('Only on 1 machine<');
    const all = expectStatus(await service.http.get('/external/v1/me', secretIn((await submit()).html)), 200).data;
    expect(all.token.machineIds).toBeNull();
    expect((await client.get(`/console/tokens/${all.token.id}`)).html).toContain('All machines');
    const refused = await submit(['machineIds', other], ['machineIds', 'mch_00000000000000000000000000']);
    expect([refused.status, refused.html]).toEqual([400, expect.stringContaining('not a machine of this account')]);
    expect(refused.html).toMatch(new RegExp(`name="machineIds" value="${other}" checked`));
  });

  it('gives a token to the program that asked for it, sealed to its key, and shows it nowhere', async () => {
    const bob = await ForeignAccountDevice.signUp(service.http);
    const client = await ConsoleClient.signIn(service.url, bob);
    const { privateKey } = createForeignKeyPair('X25519');
    const key = privateKey.export({ format: 'jwk' }).x!;
    const recipient = { key, port: '40001', state: 'a-state' };
    const page = await client.get(`/console/tokens/new?${new URLSearchParams({ name: 'xapi', ...recipient })}`);
    expect(page.headers.get('Content-Security-Policy')).toContain("form-action 'self' http://127.0.0.1:40001;");
    expect(page.html).toContain('href="http://127.0.0.1:40001/callback?state=a-state&amp;error=access_denied"');
    expect(page.html).toContain('<code>xapi login</code>');
    const form = { csrf: await client.readCsrfToken(), name: 'xapi', scopes: 'profile:read' };
    const { status, headers, html } = await client.post('/console/tokens', { ...form, ...recipient });
    const location = new URL(headers.get('Location')!);
    expect([status, location.origin, location.searchParams.get('state')]).toEqual([
      303,
      'http://127.0.0.1:40001',
      'a-state',
    ]);
    const { plaintext } = await compactDecrypt(location.searchParams.get('token')!, privateKey);
    const { token } = JSON.parse(new TextDecoder().decode(plaintext));
    expect(html + location.href).not.toContain(token);
    expectStatus(await service.http.get('/external/v1/me', token), 200);
    // A rejected form still belongs to the program.
    const rejected = await client.post('/console/tokens', { ...form, ...recipient, name: '' });
    expect(rejected).toMatchObject({ status: 400, html: expect.stringContaining('name="state" value="a-state"') });
    expect(rejected.headers.get('Content-Security-Policy')).toContain("form-action 'self' http://127.0.0.1:40001;");
    const address = `/console/tokens/new?${new URLSearchParams(recipient)}`;
    const signedOut = await new ConsoleClient(service.url).get(address);
    expect([signedOut.status, signedOut.headers.get('Location')]).toEqual([
      303,
      `/console/sign-in?return=${encodeURIComponent(address)}`,
    ]);
    const wrong = [
      { key: 'short' },
      { key: `${key.slice(1)}/` },
      // The point of order 1: anybody could open what is sealed to it.
      { key: 'A'.repeat(43) },
      { port: '0' },
      { port: '65536' },
      { port: '80@evil.example' },
      { state: 'a state' },
      { state: '' },
      { state: 'x'.repeat(101) },
    ];
    for (const change of wrong) {
      const query = new URLSearchParams({ ...recipient, ...change });
      expect((await client.get(`/console/tokens/new?${query}`)).status).toBe(400);
      expect((await client.post('/console/tokens', { ...form, ...recipient, ...change })).status).toBe(400);
    }
    for (const name of ['key', 'port', 'state'] as const) {
      const { [name]: _, ...rest } = recipient;
      expect((await client.post('/console/tokens', { ...form, ...rest })).status).toBe(400);
    }
    const tokens = (await client.get('/console/tokens')).html;
    expect(tokens.match(/>xapi</g)).toHaveLength(1);
  });

  it('shows the id of a token and the number of its calls', async () => {
    const bob = await ForeignAccountDevice.signUp(service.http);
    const client = await ConsoleClient.signIn(service.url, bob);
    const { id, token } = await bob.createToken(['profile:read']);
    const { token: other } = await bob.createToken(['profile:read']);
    for (const each of [token, token, other]) expectStatus(await service.http.get('/external/v1/me', each), 200);
    await queryDatabase(
      service,
      `INSERT INTO usage_counts (account_id, hour, bucket, token_id, operation, requests, errors, rate_limited)
       SELECT $1, unnest($2::timestamptz[]), 'metadata', $3, 'getMe', 10, 0, 0`,
      [bob.accountId, [29 * DAY, 31 * DAY].map((ms) => new Date(service.now - ms)), id],
    );
    const { html } = await client.get(`/console/tokens/${id}`);
    expect(html).toContain(`data-copy="${id}"`);
    expect(html).toContain('<dd>12 in the last 30 days</dd>');
  });

  it('renames a token, which its own calls show at once', async () => {
    const bob = await ForeignAccountDevice.signUp(service.http);
    const client = await ConsoleClient.signIn(service.url, bob);
    const { id, token } = await bob.createToken(['profile:read'], { name: 'old name' });
    const path = `/console/tokens/${id}/rename`;
    const readName = async () => expectStatus(await service.http.get('/external/v1/me', token), 200).data.token.name;
    expect([await readName(), (await client.get(`/console/tokens/${id}`)).html]).toEqual([
      'old name',
      expect.stringContaining('value="old name"'),
    ]);
    const rename = async (name: string) => client.post(path, { csrf: await client.readCsrfToken(), name });
    const refused = await rename('');
    expect([refused.status, refused.html]).toEqual([400, expect.stringContaining('Is required')]);
    const renamed = await rename('new name');
    expect([renamed.status, renamed.headers.get('location')]).toEqual([303, `/console/tokens/${id}`]);
    expect(await readName()).toBe('new name');
    expect((await client.get(`/console/tokens/${id}`)).html).toContain('<h1>new name</h1>');
    expect((await visitor.post(path, { csrf: await visitor.readCsrfToken(), name: 'stolen' })).status).toBe(404);
    const json = { name: 'stolen' };
    const foreign = await service.http.request('PATCH', `/v1/account/external-tokens/${id}`, {
      token: ada.token,
      json,
    });
    expect(foreign.status).toBe(404);
  });

  it('deletes the webhooks of a revoked token only if asked to, and records that', async () => {
    const bob = await ForeignAccountDevice.signUp(service.http);
    const client = await ConsoleClient.signIn(service.url, bob);
    const scopes = ['webhooks:manage', 'sessions:read'];
    const createWithWebhook = async () => {
      const { id: tokenId, token } = await bob.createToken(scopes);
      const webhook = { url: 'https://example.com/hooks', events: ['session.created'] };
      const { data } = expectStatus(await service.http.post('/external/v1/webhooks', token, webhook), 201);
      return { tokenId, token, webhookId: data.id };
    };
    const [kept, ended, other] = [await createWithWebhook(), await createWithWebhook(), await createWithWebhook()];
    const revoke = async (tokenId: string, fields = {}) => {
      const form = { csrf: await client.readCsrfToken(), ...fields };
      expect((await client.post(`/console/tokens/${tokenId}/revoke`, form)).status).toBe(303);
    };
    await revoke(kept.tokenId);
    await revoke(ended.tokenId, { webhooks: 'delete' });
    const { data } = expectStatus(await service.http.get('/external/v1/webhooks', other.token), 200);
    expect(data.map(({ id }: { id: string }) => id)).toEqual([other.webhookId, kept.webhookId]);
    const log = expectStatus(await service.http.get('/v1/audit-events?limit=3', bob.token), 200).data;
    const browser = { kind: 'browser', id: bob.id };
    expect(log).toMatchObject([
      { act: 'token.revoked', actor: browser, target: { id: ended.tokenId } },
      { act: 'webhook.deleted', actor: browser, target: { kind: 'webhook', id: ended.webhookId } },
      { act: 'token.revoked', actor: browser, target: { id: kept.tokenId } },
    ]);
  });

  it('rejects every action on a token of another account', async () => {
    const bob = await ForeignAccountDevice.signUp(service.http);
    const { id, token } = await bob.createToken(['sessions:read']);
    expect((await visitor.get(`/console/tokens/${id}`)).status).toBe(404);
    for (const act of ['rename', 'rotate', 'revoke']) {
      expect((await visitor.post(`/console/tokens/${id}/${act}`, { csrf, webhooks: 'delete' })).status).toBe(404);
    }
    expectStatus(await service.http.get('/external/v1/me', token), 200);
  });
});
