import { ConsentService, type ConsentPrompt } from '../../../../src/modules/oauth';
import { RetentionService } from '../../../../src/core/database';
import { readTableDigests, queryDatabase, findTablesContaining } from '../../../support/database';
import { ForeignAccountDevice, expectStatus } from '../../../support/device/foreign-device';
import {
  APP_CALLBACK_URL,
  decideConsent,
  createBrowserIdentity,
  readConsentRequestId,
  ThirdPartyApp,
  type OAuthFormFields,
} from '../../../support/oauth/third-party-app';
import { Service } from '../../../support/service';

const MINUTE = 60_000;

describe('the consent request', () => {
  let service: Service;
  let ada: ForeignAccountDevice;
  let bob: ForeignAccountDevice;
  let app: ThirdPartyApp;
  let consents: ConsentService;
  const ask = async (changes: OAuthFormFields = {}, by = app) =>
    readConsentRequestId(await by.requestAuthorization(changes));
  const open = async (id: string, person = bob, session?: string): Promise<ConsentPrompt> => {
    const opened = await consents.openConsentRequest(id, createBrowserIdentity(person, session));
    if (opened.kind !== 'ask') throw new Error(`not asked but ${opened.kind}`);
    return opened;
  };
  const refused = (deciding: Promise<unknown>) =>
    expect(deciding).rejects.toMatchObject({ code: 'forbidden', status: 403 });

  beforeAll(async () => {
    service = await Service.start();
    consents = service.app.get(ConsentService, { strict: false });
    ada = await ForeignAccountDevice.signUp(service.http);
    app = await ThirdPartyApp.register(ada, 'http://127.0.0.1/cb', {
      name: '<b>Notes</b>',
      homepageUrl: 'https://notes.example:8443/about',
      redirectUris: ['http://127.0.0.1/cb', 'https://notes.example:8443/cb'],
    });
  });
  afterAll(() => service?.stop());
  beforeEach(async () => {
    bob = await ForeignAccountDevice.signUp(service.http);
  });

  it('shows the app, its owner, the scopes and the redirect host', async () => {
    const id = await ask({ redirect_uri: 'http://127.0.0.1:5678/cb' });
    const description = {
      clientId: app.clientId,
      name: '<b>Notes</b>',
      ownerUsername: ada.username,
    };
    expect(await consents.findRequestingApp(id)).toEqual(description);
    expect(await open(id)).toEqual({
      kind: 'ask',
      ticket: expect.stringMatching(/^[\w-]{43}$/),
      app: description,
      homepageHost: null,
      scopes: ['sessions:read', 'profile:read'],
      reachesMachines: false,
      redirectHost: '127.0.0.1:5678',
      formAction: 'http://127.0.0.1:5678',
    });
  });

  it('shows the homepage if the browser goes to the same host next', async () => {
    const redirectUri = 'https://notes.example:8443/cb';
    const question = await open(await ask({ redirect_uri: redirectUri }));
    expect(question.homepageHost).toBe('notes.example:8443');
  });

  it.each([
    ['another host', 'https://github.com/notes'],
    ['another port', 'https://app.example:8443/'],
    ['a host above that of its redirect URI', 'https://example/'],
    ['a redirect URI of the app to which the browser does not go', 'https://elsewhere.example/'],
  ])('shows no homepage on %s', async (_, homepageUrl) => {
    const redirectUris = ['https://app.example/cb', 'https://elsewhere.example/cb'];
    const other = await ThirdPartyApp.register(ada, 'https://app.example/cb', { homepageUrl, redirectUris });
    expect((await open(await ask({}, other))).homepageHost).toBeNull();
  });

  it('warns if the app may send messages to machines, or already may', async () => {
    const wide = await open(await ask({ scope: 'sessions:read sessions:write' }));
    expect(wide.reachesMachines).toBe(true);
    await consents.decideConsentRequest(wide.ticket, createBrowserIdentity(bob), 'allow');
    expect((await open(await ask({ scope: 'sessions:read' }))).reachesMachines).toBe(true);
  });

  it('shows an earlier release’s name without invisible characters', async () => {
    const old = await ThirdPartyApp.register(ada, 'https://app.example/cb');
    await queryDatabase(service, 'UPDATE developer_apps SET name = $2 WHERE id = $1', [old.clientId, 'Goo\u200bgle']);
    expect((await open(await ask({}, old))).app.name).toBe('Goo\ufffdgle');
  });

  it('allows an IPv6 redirect by its scheme, as browsers support no other source', async () => {
    const six = await ThirdPartyApp.register(ada, 'http://[::1]/cb');
    const question = await open(await ask({ redirect_uri: 'http://[::1]:99/cb' }, six));
    expect(question).toMatchObject({ redirectHost: '[::1]:99', formAction: 'http:' });
    expect(question.homepageHost).toBeNull();
  });

  it('has an unguessable URL that isn’t stored', async () => {
    const id = await ask();
    const { ticket } = await open(id);
    expect(await ask()).not.toBe(id);
    for (const secret of [id, ticket]) expect(await findTablesContaining(service, secret)).toEqual([]);
    for (const guess of ['', 'x', id.slice(1), id.toLowerCase()]) {
      expect(await consents.openConsentRequest(guess, createBrowserIdentity(bob))).toEqual({ kind: 'gone' });
      expect(await consents.findRequestingApp(guess)).toBeNull();
    }
  });

  it('belongs to the login that opens it first', async () => {
    const id = await ask();
    const { ticket } = await open(id, bob, 'first');
    expect(await consents.openConsentRequest(id, createBrowserIdentity(bob, 'second'))).toEqual({
      kind: 'gone',
    });
    await refused(consents.decideConsentRequest(ticket, createBrowserIdentity(bob, 'second'), 'allow'));
    await refused(consents.decideConsentRequest(ticket, createBrowserIdentity(ada, 'first'), 'allow'));
    await consents.decideConsentRequest(ticket, createBrowserIdentity(bob, 'first'), 'allow');
  });

  it('is decided once, by its newest form', async () => {
    const id = await ask();
    const old = await open(id);
    const { ticket } = await open(id);
    await refused(consents.decideConsentRequest(old.ticket, createBrowserIdentity(bob), 'allow'));
    await consents.decideConsentRequest(ticket, createBrowserIdentity(bob), 'deny');
    const image = await readTableDigests(service);
    for (const word of ['allow', 'deny'] as const)
      await refused(consents.decideConsentRequest(ticket, createBrowserIdentity(bob), word));
    await refused(consents.decideConsentRequest('nonsense', createBrowserIdentity(bob), 'allow'));
    expect(await readTableDigests(service)).toEqual(image);
    expect(await consents.openConsentRequest(id, createBrowserIdentity(bob))).toEqual({ kind: 'gone' });
  });

  it('is decided once when ten forms arrive concurrently', async () => {
    const { ticket } = await open(await ask());
    const words = await Promise.allSettled(
      Array.from({ length: 10 }, (_, i) =>
        consents.decideConsentRequest(ticket, createBrowserIdentity(bob), i % 2 ? 'allow' : 'deny'),
      ),
    );
    expect(words.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  it('expires after ten minutes, like its form', async () => {
    const id = await ask();
    service.advanceClock(10 * MINUTE - 1_000);
    const { ticket } = await open(id);
    service.advanceClock(10 * MINUTE - 1_000);
    await consents.decideConsentRequest(ticket, createBrowserIdentity(bob), 'allow');

    const unopened = await ask();
    service.advanceClock(10 * MINUTE);
    expect(await consents.findRequestingApp(unopened)).toBeNull();
    expect(await consents.openConsentRequest(unopened, createBrowserIdentity(bob))).toEqual({ kind: 'gone' });
    const late = await open(await ask());
    service.advanceClock(10 * MINUTE);
    await refused(consents.decideConsentRequest(late.ticket, createBrowserIdentity(bob), 'allow'));
    await service.app.get(RetentionService, { strict: false }).deleteExpiredRows();
    expect(await queryDatabase(service, 'SELECT 1 FROM oauth_requests')).toEqual([]);
  });

  it('does not last longer when its form is opened again', async () => {
    const id = await ask();
    await open(id);
    service.advanceClock(10 * MINUTE - 1_000);
    const { ticket } = await open(id);
    service.advanceClock(1_000);
    await refused(consents.decideConsentRequest(ticket, createBrowserIdentity(bob), 'allow'));
    expect(await consents.openConsentRequest(id, createBrowserIdentity(bob))).toEqual({ kind: 'gone' });
  });

  it('is deleted with its app', async () => {
    const other = await ThirdPartyApp.register(ada);
    const id = await ask({}, other);
    const { ticket } = await open(id);
    expectStatus(await service.http.post(`/v1/developer/apps/${other.clientId}/disable`, ada.token, {}), 200);
    expect(await consents.findRequestingApp(id)).toBeNull();
    expect(await consents.openConsentRequest(id, createBrowserIdentity(bob))).toEqual({ kind: 'gone' });
    await refused(consents.decideConsentRequest(ticket, createBrowserIdentity(bob), 'allow'));
    await service.http.delete(`/v1/developer/apps/${other.clientId}`, ada.token);
    expect(await consents.openConsentRequest(id, createBrowserIdentity(bob))).toEqual({ kind: 'gone' });
  });

  it('is gone once the app has removed its redirect URI', async () => {
    const other = await ThirdPartyApp.register(ada, 'https://app.example/old');
    const unopened = await ask({}, other);
    const { ticket } = await open(await ask({}, other));
    const change = { token: ada.token, json: { redirectUris: ['https://app.example/new'] } };
    expectStatus(await service.http.request('PATCH', `/v1/developer/apps/${other.clientId}`, change), 200);
    expect(await consents.openConsentRequest(unopened, createBrowserIdentity(bob))).toEqual({ kind: 'gone' });
    await refused(consents.decideConsentRequest(ticket, createBrowserIdentity(bob), 'allow'));
  });

  describe('is asked again', () => {
    const opens = async (by: ThirdPartyApp, changes: OAuthFormFields = {}) =>
      (await consents.openConsentRequest(await ask(changes, by), createBrowserIdentity(bob))).kind;

    it('only for more than was agreed to, where the redirect URI is https', async () => {
      const web = await ThirdPartyApp.register(ada, APP_CALLBACK_URL);
      await web.obtainTokens(service, bob, { scope: 'sessions:read usage:read' });
      expect(await opens(web, { scope: 'sessions:read usage:read' })).toBe('redirect');
      expect(await opens(web, { scope: 'usage:read' })).toBe('redirect');
      expect(await opens(web, { scope: 'usage:read profile:read' })).toBe('ask');
      await web.obtainTokens(service, bob, { scope: 'profile:read' });
      expect(await opens(web, { scope: 'usage:read profile:read' })).toBe('redirect');
    });

    it('always, where the redirect URI is on loopback (RFC 8252 §8.6)', async () => {
      await app.obtainTokens(service, bob);
      expect(await opens(app)).toBe('ask');
    });

    it('of everybody, and of everybody once more when what they allowed has ended', async () => {
      const web = await ThirdPartyApp.register(ada, APP_CALLBACK_URL);
      await web.obtainTokens(service, ada);
      expect(await opens(web)).toBe('ask');
      await web.obtainTokens(service, bob);
      expect(await opens(web)).toBe('redirect');
      const path = `/v1/account/authorized-apps/${web.clientId}`;
      expect((await service.http.delete(path, bob.token)).status).toBe(204);
      expect(await opens(web)).toBe('ask');
    });

    it('and the code that comes without asking is as good as any, for the scopes of its request alone', async () => {
      const web = await ThirdPartyApp.register(ada, APP_CALLBACK_URL);
      await web.obtainTokens(service, bob);
      const asked = await web.requestAuthorization({ state: 'again', scope: 'profile:read' });
      const location = await decideConsent(service, bob, asked);
      expect(new URL(location).searchParams.get('state')).toBe('again');
      const tokens = expectStatus(await web.exchangeCode(new URL(location).searchParams.get('code')!), 200);
      expect(tokens.scope).toBe('profile:read');
      expect(await consents.openConsentRequest(readConsentRequestId(asked), createBrowserIdentity(bob))).toEqual({
        kind: 'gone',
      });
    });
  });
});
