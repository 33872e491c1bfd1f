import { DAY } from '../../../src/common/clock';
import { generateId } from '../../../src/common/ids';
import { ConsoleClient } from '../../support/console-client';
import { queryDatabase } from '../../support/database';
import { ForeignAccountDevice } from '../../support/device/foreign-device';
import { Service } from '../../support/service';

const PATH = '/console/security-log';

describe('the console’s security log', () => {
  let service: Service;
  let ada: ForeignAccountDevice;
  let visitor: ConsoleClient;

  beforeAll(async () => {
    service = await Service.start();
    ada = await ForeignAccountDevice.signUp(service.http, 'ada');
    visitor = await ConsoleClient.signIn(service.url, ada);
  });
  afterAll(() => service?.stop());

  /** Returns the rows of the table as text, newest first. */
  const readRows = async (query = '', client = visitor) => {
    const { status, html } = await client.get(PATH + query);
    expect(status).toBe(200);
    const [, body = ''] = /<tbody>(.*)<\/tbody>/s.exec(html) ?? [];
    return body.split('</tr>').flatMap((row) => {
      const text = row
        .replaceAll(/<[^>]+>/g, ' ')
        .replaceAll(/\s+/g, ' ')
        .trim();
      return text === '' ? [] : [text];
    });
  };

  it('shows what happened, who caused it and from where', async () => {
    const { id } = await ada.createToken(['sessions:read'], { name: 'a <b>bold</b> name' });
    const { html } = await visitor.get(PATH, { 'User-Agent': 'a reader' });
    expect(html).toContain(`<a href="/console/tokens/${id}">a &lt;b>bold&lt;/b> name</a>`);
    const [created, signedIn] = await readRows();
    expect(created).toMatch(/Token created a &lt;b.* Device 127\.0\.0\.1/);
    expect(signedIn).toMatch(/Signed in .* Browser 127\.0\.0\.1 node/);
  });

  it('names the browser of a caller, and shows its whole text on request', async () => {
    const userAgent = 'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0 <b>';
    const token = { name: 'x', scopes: ['sessions:read'] };
    const headers = { 'User-Agent': userAgent };
    const { status } = await service.http.post('/v1/account/external-tokens', ada.token, token, { headers });
    expect(status).toBe(201);
    const { html } = await visitor.get(PATH);
    expect(html).toContain(
      `<summary>Firefox on Linux</summary><small>${userAgent.replace('<', '&lt;')}</small></details>`,
    );
  });

  it('shows a record that was deleted with its ID', async () => {
    const { id } = await ada.createToken(['sessions:read']);
    const { status } = await service.http.delete(`/v1/account/external-tokens/${id}`, ada.token);
    expect(status).toBe(204);
    const [revoked] = await readRows();
    expect(revoked).toContain('Token revoked');
  });

  it('shows the reason of an operator, and not who it was', async () => {
    await queryDatabase(
      service,
      `INSERT INTO audit_events (id, account_id, act, actor_kind, actor_id, target_kind, target_id, reason, created_at)
       VALUES ($1, $2, 'account.resumed', 'operator', 'root', 'account', $2, 'It was a <b>mistake</b>.', $3)`,
      [generateId('aud'), ada.accountId, new Date()],
    );
    const [resumed] = await readRows();
    expect(resumed).toMatch(/Account resumed Reason: It was a &lt;b>mistake&lt;\/b>\. .*Operator of the service/);
    expect(resumed).not.toContain('root');
  });

  it('filters by time', async () => {
    const tomorrow = new Date(Date.now() + DAY).toISOString().slice(0, 16);
    expect(await readRows(`?since=${tomorrow}`)).toEqual([]);
    expect((await readRows(`?until=${tomorrow}`)).length).toBeGreaterThan(3);
    const { html } = await visitor.get(`${PATH}?since=${tomorrow}`);
    expect(html).toContain('No matching events');
  });

  it('offers the last hour, day and week', async () => {
    const before = Date.now();
    const { html } = await visitor.get(`${PATH}?until=2030-01-01T00:00`);
    const links = [...html.matchAll(/href="([^"]+)">(Last [^<]+)</g)].map(([, path, text]) => [text!, path!] as const);
    expect(links.map(([text]) => text)).toEqual(['Last hour', 'Last 24 hours', 'Last 7 days']);
    const hours = links.map(([, path]) => {
      const query = new URL(path, service.url).searchParams;
      expect([...query.keys()]).toEqual(['since']);
      return Math.round((before - Date.parse(`${query.get('since')}Z`)) / 3_600_000);
    });
    expect(hours).toEqual([1, 24, 168]);
    expect((await readRows(links[0]![1].slice(PATH.length))).length).toBeGreaterThan(3);
  });

  it('continues on further pages with the same filter', async () => {
    for (let n = 0; n < 55; n++) await ConsoleClient.signIn(service.url, ada);
    const tomorrow = new Date(Date.now() + DAY).toISOString().slice(0, 16);
    const { html } = await visitor.get(`${PATH}?until=${tomorrow}`);
    const [, next] = /rel="next" href="([^"]+)"/.exec(html)!;
    expect(next).toContain(`until=${encodeURIComponent(tomorrow)}`);
    const older = await readRows(next!.replaceAll('&amp;', '&').slice(PATH.length));
    expect(older.at(-1)).toContain('Account created');
  });

  it.each(['since=yesterday', `until=${'1'.repeat(101)}`])('refuses the filter %s and lists nothing', async (query) => {
    const { status, html } = await visitor.get(`${PATH}?${query}`);
    expect([status, html.includes('<tbody>')]).toEqual([400, false]);
  });

  it('shows an account only its own events', async () => {
    const grace = await ForeignAccountDevice.signUp(service.http, 'grace');
    const rows = await readRows('', await ConsoleClient.signIn(service.url, grace));
    expect(rows.map((row) => /Signed in|Account created/.exec(row)?.[0])).toEqual(
      expect.arrayContaining(['Signed in', 'Account created']),
    );
    expect(rows.length).toBeLessThan(5);
  });

  it('is reached from the menu and from the account’s page', async () => {
    const { html } = await visitor.get('/console/account');
    expect(html.match(/href="\/console\/security-log"/g)).toHaveLength(2);
  });
});
