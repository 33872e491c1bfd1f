import { ConsentRequests, type ConsentQuestion } from '../../../../src/oauth';
import { Retention } from '../../../../src/persistence';
import { databaseImage, query, tablesHolding } from '../../../support/database';
import { AccountDevice, ok } from '../../../support/device/foreign-device';
import { CALLBACK, consent, inBrowser, requestIdOf, ThirdParty, type Fields } from '../../../support/oauth/third-party';
import { Service } from '../../../support/service';

const MINUTE = 60_000;

describe('what a person is asked', () => {
  let service: Service;
  let ada: AccountDevice;
  let bob: AccountDevice;
  let app: ThirdParty;
  let consents: ConsentRequests;
  const ask = async (changes: Fields = {}, by = app) => requestIdOf(await by.authorize(changes));
  const open = async (id: string, person = bob, session?: string): Promise<ConsentQuestion> => {
    const opened = await consents.open(id, inBrowser(person, session));
    if (opened.kind !== 'ask') throw new Error(`not asked but ${opened.kind}`);
    return opened;
  };
  const refused = (deciding: Promise<unknown>) =>
    expect(deciding).rejects.toMatchObject({ code: 'forbidden', status: 403 });

  beforeAll(async () => {
    service = await Service.start();
    consents = service.app.get(ConsentRequests, { strict: false });
    ada = await AccountDevice.signUp(service.http);
    app = await ThirdParty.register(ada, 'http://127.0.0.1/cb', {
      name: '<b>Notes</b>',
      homepageUrl: 'https://notes.example:8443/about',
    });
  });
  afterAll(() => service?.stop());
  beforeEach(async () => {
    bob = await AccountDevice.signUp(service.http);
  });

  it('is the app, its owner and homepage, the scopes, and where the browser goes next', async () => {
    const id = await ask({ redirect_uri: 'http://127.0.0.1:5678/cb' });
    const description = {
      clientId: app.clientId,
      name: '<b>Notes</b>',
      ownerUsername: ada.username,
      homepageHost: 'notes.example:8443',
    };
    expect(await consents.describe(id)).toEqual(description);
    expect(await open(id)).toEqual({
      kind: 'ask',
      ticket: expect.stringMatching(/^[\w-]{43}$/),
      app: description,
      scopes: ['sessions:read', 'profile:read'],
      redirectHost: '127.0.0.1:5678',
      formAction: 'http://127.0.0.1:5678',
    });
  });

  it('names an IPv6 address by its scheme to the browser, which knows no other way', async () => {
    const six = await ThirdParty.register(ada, 'http://[::1]/cb');
    const question = await open(await ask({ redirect_uri: 'http://[::1]:99/cb' }, six));
    expect(question).toMatchObject({ redirectHost: '[::1]:99', formAction: 'http:' });
    expect(question.app.homepageHost).toBeNull();
  });

  it('is at an address that nobody can guess, and that the database does not know', async () => {
    const id = await ask();
    const { ticket } = await open(id);
    expect(await ask()).not.toBe(id);
    for (const secret of [id, ticket]) expect(await tablesHolding(service, secret)).toEqual([]);
    for (const guess of ['', 'x', id.slice(1), id.toLowerCase()]) {
      expect(await consents.open(guess, inBrowser(bob))).toEqual({ kind: 'gone' });
      expect(await consents.describe(guess)).toBeNull();
    }
  });

  it('belongs to the session that opens it first', async () => {
    const id = await ask();
    const { ticket } = await open(id, bob, 'first');
    expect(await consents.open(id, inBrowser(bob, 'second'))).toEqual({ kind: 'gone' });
    await refused(consents.decide(ticket, inBrowser(bob, 'second'), 'allow'));
    await refused(consents.decide(ticket, inBrowser(ada, 'first'), 'allow'));
    await consents.decide(ticket, inBrowser(bob, 'first'), 'allow');
  });

  it('is decided by its newest form, once', async () => {
    const id = await ask();
    const old = await open(id);
    const { ticket } = await open(id);
    await refused(consents.decide(old.ticket, inBrowser(bob), 'allow'));
    await consents.decide(ticket, inBrowser(bob), 'deny');
    const image = await databaseImage(service);
    for (const word of ['allow', 'deny'] as const) await refused(consents.decide(ticket, inBrowser(bob), word));
    await refused(consents.decide('nonsense', inBrowser(bob), 'allow'));
    expect(await databaseImage(service)).toEqual(image);
    expect(await consents.open(id, inBrowser(bob))).toEqual({ kind: 'gone' });
  });

  it('is decided once, when ten forms come at the same time', async () => {
    const { ticket } = await open(await ask());
    const words = await Promise.allSettled(
      Array.from({ length: 10 }, (_, i) => consents.decide(ticket, inBrowser(bob), i % 2 ? 'allow' : 'deny')),
    );
    expect(words.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  it('waits for ten minutes, and a form as long', async () => {
    const id = await ask();
    service.advance(10 * MINUTE - 1_000);
    const { ticket } = await open(id);
    service.advance(10 * MINUTE - 1_000);
    await consents.decide(ticket, inBrowser(bob), 'allow');

    const unopened = await ask();
    service.advance(10 * MINUTE);
    expect(await consents.open(unopened, inBrowser(bob))).toEqual({ kind: 'gone' });
    const late = await open(await ask());
    service.advance(10 * MINUTE);
    await refused(consents.decide(late.ticket, inBrowser(bob), 'allow'));
    await service.app.get(Retention, { strict: false }).run();
    expect(await query(service, 'SELECT 1 FROM oauth_requests')).toEqual([]);
  });

  it('goes with its app', async () => {
    const other = await ThirdParty.register(ada);
    const id = await ask({}, other);
    const { ticket } = await open(id);
    ok(await service.http.post(`/v1/developer/apps/${other.clientId}/disable`, ada.token, {}), 200);
    expect(await consents.describe(id)).toBeNull();
    expect(await consents.open(id, inBrowser(bob))).toEqual({ kind: 'gone' });
    await refused(consents.decide(ticket, inBrowser(bob), 'allow'));
    await service.http.delete(`/v1/developer/apps/${other.clientId}`, ada.token);
    expect(await consents.open(id, inBrowser(bob))).toEqual({ kind: 'gone' });
  });

  describe('is asked again', () => {
    const opens = async (by: ThirdParty, changes: Fields = {}) =>
      (await consents.open(await ask(changes, by), inBrowser(bob))).kind;

    it('only for more than was agreed to, where the redirect URI is https', async () => {
      const web = await ThirdParty.register(ada, CALLBACK);
      await web.tokens(service, bob, { scope: 'sessions:read usage:read' });
      expect(await opens(web, { scope: 'sessions:read usage:read' })).toBe('redirect');
      expect(await opens(web, { scope: 'usage:read' })).toBe('redirect');
      expect(await opens(web, { scope: 'usage:read profile:read' })).toBe('ask');
      await web.tokens(service, bob, { scope: 'profile:read' });
      expect(await opens(web, { scope: 'usage:read profile:read' })).toBe('redirect');
    });

    it('always, where the redirect URI is on loopback (RFC 8252 §8.6)', async () => {
      await app.tokens(service, bob);
      expect(await opens(app)).toBe('ask');
    });

    it('of everybody, and of everybody once more when what they allowed has ended', async () => {
      const web = await ThirdParty.register(ada, CALLBACK);
      await web.tokens(service, ada);
      expect(await opens(web)).toBe('ask');
      await web.tokens(service, bob);
      expect(await opens(web)).toBe('redirect');
      const path = `/v1/account/authorized-apps/${web.clientId}`;
      expect((await service.http.delete(path, bob.token)).status).toBe(204);
      expect(await opens(web)).toBe('ask');
    });

    it('and the code that comes without asking is as good as any', async () => {
      const web = await ThirdParty.register(ada, CALLBACK);
      await web.tokens(service, bob);
      const asked = await web.authorize({ state: 'again' });
      const location = await consent(service, bob, asked);
      expect(new URL(location).searchParams.get('state')).toBe('again');
      ok(await web.exchange(new URL(location).searchParams.get('code')!), 200);
      expect(await consents.open(requestIdOf(asked), inBrowser(bob))).toEqual({ kind: 'gone' });
    });
  });
});
