import { TestBrowser, type BrowserUser } from '../browser/support/test-browser';
import { GrantedSession } from '../support/content/granted-session';
import { createReaderKey } from '../support/content/jose-keys';
import { describeWith } from '../support/dependencies';
import { expectStatus, ForeignAccountDevice } from '../support/device/foreign-device';
import { Service } from '../support/service';
import { PackagePage } from './support/package-page';

describeWith('chromium')('the client in a page of another origin', () => {
  let service: Service;
  let packagePage: PackagePage;
  let testBrowser: TestBrowser;
  let user: BrowserUser;
  let ada: ForeignAccountDevice;
  let token: string;

  beforeAll(async () => {
    service = await Service.start();
    ada = await ForeignAccountDevice.signUp(service.http);
    ({ token } = await ada.createToken(['sessions:read', 'sessions:content']));
    packagePage = await PackagePage.start();
    testBrowser = await TestBrowser.launchBrowser();
    user = await testBrowser.openProfile(packagePage.url);
    await user.page.goto('/');
  });
  afterAll(async () => {
    await testBrowser?.close();
    await packagePage?.stop();
    await service?.stop();
  });

  /** Runs the body of an async function in the page, with `client`, `api` and `input`. */
  const run = (code: string, input: unknown = null): Promise<any> =>
    user.page.evaluate(`(async (input) => {
      const api = await import('@external-api/client');
      const options = { baseUrl: ${JSON.stringify(service.url)}, token: ${JSON.stringify(token)} };
      const client = new api.ExternalApiClient(options);
      ${code}
    })(${JSON.stringify(input)})`);

  it('reads the account, and lists over several pages', async () => {
    const sessions = [];
    for (let i = 0; i < 3; i++) sessions.push((await ada.createSession(ada)).id);
    const result = await run(`
      const { data } = await client.me();
      const ids = [];
      for await (const { id } of client.sessions.list({ limit: 2, order: 'asc' })) ids.push(id);
      return [location.origin === new URL(options.baseUrl).origin, data.account.username, ids];`);
    expect(result).toEqual([false, ada.username, sessions]);
    expect(user.pageErrors).toEqual([]);
  });

  it('receives an event', async () => {
    const received = run(`
      for await (const { type, data } of client.events({ types: ['session.created'] })) {
        if (type === 'stream.opened') globalThis.isOpened = true;
        else return [type, data.id];
      }`);
    await user.page.waitForFunction('globalThis.isOpened');
    const { id } = await ada.createSession(ada);
    expect(await received).toEqual(['session.created', id]);
  });

  it('throws typed errors, with the request ID that the service has logged', async () => {
    const error = await run(`
      const error = await client.sessions.get('ses_nothing').catch((error) => error);
      const { name, status, code, requestId, attempts } = error;
      return { isTyped: error instanceof api.ApiError, name, status, code, requestId, attempts };`);
    expect(error).toEqual({
      isTyped: true,
      name: 'ApiError',
      status: 404,
      code: 'not_found',
      requestId: expect.stringMatching(/^req_/),
      attempts: 1,
    });
    expect(service.logs.some((line) => line.includes(error.requestId))).toBe(true);
  });

  it('throws insufficient_scope for a write, whose preflight passes', async () => {
    const code = await run(`
      return client.webhooks.create({ url: 'https://example.com/hooks', events: ['turn.ended'] })
        .then(() => null, (error) => error.code);`);
    expect(code).toBe('insufficient_scope');
  });

  it('decrypts content with a key that only the page has', async () => {
    const session = await GrantedSession.createSession(ada);
    const messageId = await session.appendMessage('Grüße');
    const reader = await createReaderKey('X25519');
    expectStatus(await session.key.grantToReader(reader.publicKey, session.resource), 201);
    const input = { sessionId: session.id, messageId, key: reader.privateKey };
    const content = await run(
      `return client.content(input.sessionId, input.messageId, { key: input.key })
        .then(({ text, encoding }) => [text, encoding]);`,
      input,
    );
    expect(content).toEqual(['Grüße', 'sealed']);
  });
});
