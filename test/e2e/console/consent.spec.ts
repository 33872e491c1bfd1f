import { ConsoleVisitor } from '../../support/console-visitor';
import { AccountDevice } from '../../support/device/foreign-device';
import { requestIdOf, ThirdParty } from '../../support/oauth/third-party';
import { Service } from '../../support/service';

const MINUTE = 60_000;

describe('the consent page', () => {
  let service: Service;
  let owner: AccountDevice;
  let ada: AccountDevice;
  let app: ThirdParty;
  let visitor: ConsoleVisitor;

  beforeAll(async () => {
    service = await Service.start();
    owner = await AccountDevice.signUp(service.http, 'octavia');
    app = await ThirdParty.register(owner, undefined, { homepageUrl: 'https://notes.example/' });
  });
  beforeEach(async () => {
    ada = await AccountDevice.signUp(service.http);
    visitor = await ConsoleVisitor.signIn(service.url, ada);
  });
  afterAll(() => service?.stop());

  const pathOf = async (by = app, changes = {}) => `/console/consent/${requestIdOf(await by.authorize(changes))}`;
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
    expect(html).toContain('That was refused');
  };

  it('names app, owner, homepage host, where the browser goes, each scope, and who is signed in', async () => {
    const { status, html } = await visitor.get(await pathOf());
    expect(status).toBe(200);
    const words = ['Notes', 'octavia', 'notes.example', 'app.example', 'sessions:read', 'profile:read', ada.username];
    for (const word of words) expect(html).toContain(word);
    expect(html).not.toContain('svc_dev_');
  });

  it('asks nothing with HEAD: an open form stays good, and the request belongs to nobody', async () => {
    const path = await pathOf();
    const other = await ConsoleVisitor.signIn(service.url, owner);
    expect((await other.request('HEAD', path)).status).toBe(200);
    const form = { ...(await open(path)), decision: 'deny' };
    expect((await visitor.request('HEAD', path)).status).toBe(200);
    expect((await visitor.post(path, form)).status).toBe(303);
    expect((await visitor.request('HEAD', path)).status).toBe(404);
  });

  it('lets its form lead to the app, and is kept and framed by nobody', async () => {
    const { headers } = await visitor.get(await pathOf());
    const policy = headers.get('content-security-policy')!;
    expect(policy).toContain("form-action 'self' https://app.example https:;");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
  });

  it('answers with a redirect to the app: its code, or that access was denied', async () => {
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

  it('does not ask again for what was allowed', async () => {
    const first = await pathOf();
    await visitor.post(first, { ...(await open(first)), decision: 'allow' });
    const { status, headers } = await visitor.get(await pathOf());
    expect(status).toBe(303);
    expect(headers.get('location')).toMatch(/^https:\/\/app\.example\/callback\?.*code=/);
  });

  it('takes each form once, also when it is sent many times at once', async () => {
    const path = await pathOf();
    const form = { ...(await open(path)), decision: 'allow' };
    const answers = await Promise.all(Array.from({ length: 5 }, () => visitor.post(path, form)));
    expect(answers.map(({ status }) => status).sort()).toEqual([303, 403, 403, 403, 403]);
    await refused(path, form);
  });

  it('takes no form that was changed, replaced, or is of another session; the request stays open', async () => {
    const path = await pathOf();
    const replaced = await open(path);
    const form = { ...(await open(path)), decision: 'allow' };
    await refused(path, { ...form, ticket: replaced.ticket });
    await refused(path, { ...form, ticket: `${form.ticket}x` });
    await refused(path, { ...form, csrf: `${form.csrf}x` });
    const mallory = await ConsoleVisitor.signIn(service.url, await AccountDevice.signUp(service.http));
    await refused(path, { ...form, csrf: await mallory.csrfToken() }, mallory);
    const again = await ConsoleVisitor.signIn(service.url, ada);
    await refused(path, { ...form, csrf: await again.csrfToken() }, again);
    const undecided = await visitor.post(path, { ...form, decision: 'perhaps' });
    expect(undecided.status).toBe(400);
    expect((await visitor.post(path, form)).status).toBe(303);
  });

  it('is gone for another session, and for everybody after ten minutes or an answer', async () => {
    const path = await pathOf();
    await open(path);
    const mallory = await ConsoleVisitor.signIn(service.url, await AccountDevice.signUp(service.http));
    for (const answer of [await mallory.get(path), await visitor.get('/console/consent/unknown')]) {
      expect(answer.status).toBe(404);
      expect(answer.html).toContain('not open any more');
    }
    service.advance(10 * MINUTE);
    expect((await visitor.get(path)).status).toBe(404);
  });

  it('is named on the sign-in pages before it, as the text that it is', async () => {
    const hostile = await ThirdParty.register(owner, undefined, { name: '<script>alert(1)</script>' });
    const path = await pathOf(hostile);
    const stranger = new ConsoleVisitor(service.url);
    const { headers } = await stranger.get(path);
    const { html } = await stranger.get(headers.get('location')!);
    expect(html).toContain('to continue to <strong class="app">&lt;script>alert(1)&lt;/script></strong>');
    expect((await visitor.get(path)).html).not.toContain('<script>alert');
  });
});
