import { ConsoleClient } from '../../support/console-client';
import { ForeignAccountDevice, expectStatus } from '../../support/device/foreign-device';
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

  it('shows the id of a token and the number of its calls', async () => {
    const bob = await ForeignAccountDevice.signUp(service.http);
    const client = await ConsoleClient.signIn(service.url, bob);
    const { id, token } = await bob.createToken(['profile:read']);
    const { token: other } = await bob.createToken(['profile:read']);
    for (const each of [token, token, other]) expectStatus(await service.http.get('/external/v1/me', each), 200);
    const { html } = await client.get(`/console/tokens/${id}`);
    expect(html).toContain(`data-copy="${id}"`);
    expect(html).toContain('<dd>2 in the last 30 days</dd>');
  });

  it('renames a token, which its own calls show at once', async () => {
    const bob = await ForeignAccountDevice.signUp(service.http);
    const client = await ConsoleClient.signIn(service.url, bob);
    const { id, token } = await bob.createToken(['profile:read'], { name: 'old name' });
    const path = `/console/tokens/${id}/rename`;
    const readName = async () => expectStatus(await service.http.get('/external/v1/me', token), 200).data.token.name;
    expect([await readName(), (await client.get(path)).html]).toEqual([
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
    expect((await visitor.get(path)).status).toBe(404);
    const json = { name: 'stolen' };
    const foreign = await service.http.request('PATCH', `/v1/account/external-tokens/${id}`, {
      token: ada.token,
      json,
    });
    expect(foreign.status).toBe(404);
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
