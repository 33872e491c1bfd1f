import { ConsoleVisitor } from '../../support/console-visitor';
import { AccountDevice, ok } from '../../support/device/foreign-device';
import { Service } from '../../support/service';

describe('the console’s page of tokens', () => {
  let service: Service;
  let ada: AccountDevice;
  let visitor: ConsoleVisitor;
  let csrf: string;
  beforeAll(async () => {
    service = await Service.start({ RATE_LIMIT_METADATA: '100000' });
    ada = await AccountDevice.signUp(service.http);
    visitor = await ConsoleVisitor.signIn(service.url, ada);
    csrf = await visitor.csrfToken();
  });
  afterAll(() => service?.stop());

  const create = (fields: string[][]) => visitor.post('/console/tokens', [['csrf', csrf], ...fields]);
  const secretIn = (html: string) => /svc_pat_[\w-]+(?=<\/code>)/.exec(html)![0];

  it('makes what the form says, and nothing more', async () => {
    const { html } = await create([
      ['name', 'deploys'],
      ['scopes', 'machines:read'],
      ['scopes', 'sessions:read'],
      ['expiresInDays', '7'],
    ]);
    const { data } = ok(await service.http.get('/external/v1/me', secretIn(html)), 200);
    expect(data.token).toMatchObject({ name: 'deploys', scopes: ['machines:read', 'sessions:read'] });
    expect(data.token.expiresAt - data.token.createdAt).toBe(7 * 86_400_000);
  });

  it.each([
    [[['name', 'x']], 'Must contain at least 1|Choose at least one'],
    [[['scopes', 'sessions:read']], 'Is needed'],
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
  ])('shows the form again for %j, with what is wrong and what was typed', async (fields, words) => {
    const before = await visitor.get('/console/tokens');
    const { status, html } = await create(fields);
    expect(status).toBe(400);
    expect(html).toMatch(new RegExp(words, 'i'));
    for (const [name, value] of fields) if (name === 'name') expect(html).toContain(`value="${value}"`);
    const rows = (page: string) => page.split('<tr').length;
    expect(rows((await visitor.get('/console/tokens')).html)).toBe(rows(before.html));
  });

  it('says when the plan has no place for one more', async () => {
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

  it('knows no token of another account, whatever is done with it', async () => {
    const bob = await AccountDevice.signUp(service.http);
    const { id, token } = await bob.createToken(['sessions:read']);
    expect((await visitor.get(`/console/tokens/${id}`)).status).toBe(404);
    for (const act of ['rotate', 'revoke']) {
      expect((await visitor.post(`/console/tokens/${id}/${act}`, { csrf, webhooks: 'delete' })).status).toBe(404);
    }
    ok(await service.http.get('/external/v1/me', token), 200);
  });
});
