import { ConsoleClient } from '../../support/console-client';
import { ForeignAccountDevice } from '../../support/device/foreign-device';
import { readConsentRequestId, ThirdPartyApp } from '../../support/oauth/third-party-app';
import { Service } from '../../support/service';

const MINUTE = 60_000;

describe('the consent page', () => {
  let service: Service;
  let owner: ForeignAccountDevice;
  let ada: ForeignAccountDevice;
  let app: ThirdPartyApp;
  let visitor: ConsoleClient;

  beforeAll(async () => {
    service = await Service.start();
    owner = await ForeignAccountDevice.signUp(service.http, 'octavia');
    app = await ThirdPartyApp.register(owner, undefined, { homepageUrl: 'https://notes.example/' });
  });
  beforeEach(async () => {
    ada = await ForeignAccountDevice.signUp(service.http);
    visitor = await ConsoleClient.signIn(service.url, ada);
  });
  afterAll(() => service?.stop());

  const pathOf = async (by = app, changes = {}) =>
    `/console/consent/${readConsentRequestId(await by.requestAuthorization(changes))}`;
  const fieldsOf = (html: string) => {
    const value = (name: string) => new RegExp(`name="${name}" value="([^"]+)"`).exec(html)![1]!;
    return { ticket: value('ticket'), csrf: value('csrf') };
  };
  const open = async (path: string) => fieldsOf((await visitor.get(path)).html);
  const refused = async (path: string, form: Record<string, string>, by = visitor) => {
    const { status, html, headers } = await by.post(path, form);
    expect([status, headers.get('content-type'), headers.get('location')]).toEqual([
      403,
      'text/html; charset=utf-8',
      null,
    ]);
    expect(html).toContain('Access denied');
  };

  it('shows the app, its owner, the redirect host, each scope and the signed-in user', async () => {
    const { status, html } = await visitor.get(await pathOf());
    expect(status).toBe(200);
    const words = ['Notes', 'octavia', 'app.example', 'sessions:read', 'profile:read', ada.username];
    for (const word of words) expect(html).toContain(word);
    expect(html).not.toContain('svc_dev_');
    expect(html).not.toContain('notes.example');
  });

  it('shows the homepage of an app on the host to which the browser goes next', async () => {
    const homepageUrl = 'https://app.example/about';
    const notes = await ThirdPartyApp.register(owner, undefined, { homepageUrl });
    const { html } = await visitor.get(await pathOf(notes));
    expect(html).toMatch(/An app by <strong>octavia<\/strong> · <span class="host">app\.example<\/span>/);
  });

  it('states that the app cannot run commands only if that is true', async () => {
    const sentence = 'It cannot run commands on your machines.';
    const asking = async (scope: string) => (await visitor.get(await pathOf(app, { scope }))).html;
    expect(await asking('sessions:read webhooks:manage')).toContain(sentence);
    expect(await asking('sessions:read sessions:write')).not.toContain(sentence);
  });

  it('changes nothing with HEAD: an open form stays valid, and no login owns the request', async () => {
    const path = await pathOf();
    const other = await ConsoleClient.signIn(service.url, owner);
    expect((await other.request('HEAD', path)).status).toBe(200);
    const form = { ...(await open(path)), decision: 'deny' };
    expect((await visitor.request('HEAD', path)).status).toBe(200);
    expect((await visitor.post(path, form)).status).toBe(303);
    expect((await visitor.request('HEAD', path)).status).toBe(404);
  });

  it('allows form redirects to the app, and forbids caching and framing', async () => {
    const { headers } = await visitor.get(await pathOf());
    const policy = headers.get('content-security-policy')!;
    expect(policy).toContain("form-action 'self' https://app.example https:;");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
  });

  it('redirects to the app with a code or access_denied', async () => {
    for (const [decision, parameter] of [
      ['allow', 'code'],
      ['deny', 'error'],
    ] as const) {
      const path = await pathOf(app, { scope: decision === 'allow' ? 'usage:read' : 'sessions:read' });
      const answer = await visitor.post(path, { ...(await open(path)), decision });
      expect([answer.status, answer.headers.get('cache-control')]).toEqual([303, 'no-store']);
      const location = new URL(answer.headers.get('location')!);
      expect(location.origin + location.pathname).toBe('https://app.example/callback');
      expect(location.searchParams.get(parameter)).toBeTruthy();
    }
  });

  it('skips consent for scopes that were allowed before', async () => {
    const first = await pathOf();
    await visitor.post(first, { ...(await open(first)), decision: 'allow' });
    const { status, headers } = await visitor.get(await pathOf());
    expect(status).toBe(303);
    expect(headers.get('location')).toMatch(/^https:\/\/app\.example\/callback\?.*code=/);
  });

  it('accepts each form once, even when it is sent many times concurrently', async () => {
    const path = await pathOf();
    const form = { ...(await open(path)), decision: 'allow' };
    const answers = await Promise.all(Array.from({ length: 5 }, () => visitor.post(path, form)));
    expect(answers.map(({ status }) => status).sort()).toEqual([303, 403, 403, 403, 403]);
    await refused(path, form);
  });

  it('rejects forms that were changed, replaced or belong to another login, and keeps the request open', async () => {
    const path = await pathOf();
    const replaced = await open(path);
    const form = { ...(await open(path)), decision: 'allow' };
    const older = await visitor.post(path, { ...form, ticket: replaced.ticket });
    expect([older.status, older.html]).toEqual([403, expect.stringContaining('was opened again elsewhere')]);
    await refused(path, { ...form, ticket: `${form.ticket}x` });
    await refused(path, { ...form, csrf: `${form.csrf}x` });
    const mallory = await ConsoleClient.signIn(service.url, await ForeignAccountDevice.signUp(service.http));
    await refused(path, { ...form, csrf: await mallory.readCsrfToken() }, mallory);
    const again = await ConsoleClient.signIn(service.url, ada);
    await refused(path, { ...form, csrf: await again.readCsrfToken() }, again);
    const undecided = await visitor.post(path, { ...form, decision: 'perhaps' });
    expect(undecided.status).toBe(400);
    expect((await visitor.post(path, form)).status).toBe(303);
  });

  it('tells its script the address of the redirect, once, and only with the ticket of this login', async () => {
    const path = await pathOf();
    const { ticket } = await open(path);
    const decide = (body: object, headers = {}, by = visitor) => by.postJson(`${path}/decision`, body, headers);
    const mallory = await ConsoleClient.signIn(service.url, await ForeignAccountDevice.signUp(service.http));
    const rejected = [
      await decide({ ticket: `${ticket}x`, decision: 'allow' }),
      await decide({ ticket, decision: 'allow' }, {}, mallory),
      await decide({ ticket, decision: 'allow' }, { 'Sec-Fetch-Site': 'cross-site' }),
      await decide({ ticket, decision: 'allow' }, {}, new ConsoleClient(service.url)),
      await decide({ ticket, decision: 'perhaps' }),
    ];
    expect(rejected.map(({ status }) => status)).toEqual([403, 403, 403, 401, 400]);
    const { status, headers, body } = await decide({ ticket, decision: 'allow' });
    expect([status, headers.get('cache-control')]).toEqual([200, 'no-store']);
    expect(body.data.location).toMatch(/^https:\/\/app\.example\/callback\?.*code=/);
    expect((await decide({ ticket, decision: 'allow' })).status).toBe(403);
  });

  it('is unavailable to other logins, and to all after ten minutes or a decision', async () => {
    const path = await pathOf();
    await open(path);
    const mallory = await ConsoleClient.signIn(service.url, await ForeignAccountDevice.signUp(service.http));
    for (const answer of [await mallory.get(path), await visitor.get('/console/consent/unknown')]) {
      expect(answer.status).toBe(404);
      expect(answer.html).toContain('no longer open');
    }
    service.advanceClock(10 * MINUTE);
    expect((await visitor.get(path)).status).toBe(404);
    const decided = await pathOf();
    await visitor.post(decided, { ...(await open(decided)), decision: 'allow' });
    const { status, html } = await visitor.get(decided);
    expect(status).toBe(404);
    expect(html).toContain('If you have allowed it, the app has access.');
  });

  it('is where every sign-in page leads, by itself and through the others', async () => {
    const path = await pathOf();
    const query = `?return=${encodeURIComponent(path)}`;
    const stranger = new ConsoleClient(service.url);
    for (const page of ['sign-in', 'sign-up', 'link', 'recover']) {
      const { html } = await stranger.get(`/console/${page}${query}`);
      expect(html).toContain(`data-return="${path}"`);
      expect(html).toContain('to continue to <strong class="app">Notes</strong>');
      const links = [...html.matchAll(/href="\/console\/(?:sign-in|sign-up|link|recover)\b([^"]*)"/g)];
      expect(new Set(links.map(([, rest]) => rest))).toEqual(new Set([query]));
    }
  });

  it('shows the app’s name as escaped text on the preceding sign-in pages', async () => {
    const hostile = await ThirdPartyApp.register(owner, undefined, { name: '<script>alert(1)</script>' });
    const path = await pathOf(hostile);
    const stranger = new ConsoleClient(service.url);
    const { headers } = await stranger.get(path);
    const { html } = await stranger.get(headers.get('location')!);
    expect(html).toContain('to continue to <strong class="app">&lt;script>alert(1)&lt;/script></strong>');
    expect((await visitor.get(path)).html).not.toContain('<script>alert');
  });
});
