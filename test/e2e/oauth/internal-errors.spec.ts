import { queryDatabase } from '../../support/database';
import { ForeignAccountDevice } from '../../support/device/foreign-device';
import { ThirdPartyApp } from '../../support/oauth/third-party-app';
import { Service } from '../../support/service';
import { waitFor } from '../../support/wait-for';

describe('an internal error', () => {
  let service: Service;
  let bob: ForeignAccountDevice;
  let app: ThirdPartyApp;

  beforeAll(async () => {
    service = await Service.start({ LOG_LEVEL: 'trace' });
    bob = await ForeignAccountDevice.signUp(service.http);
    app = await ThirdPartyApp.register(await ForeignAccountDevice.signUp(service.http));
  });
  afterAll(() => service?.stop());

  const broken = async <T>(table: string, column: string, work: () => Promise<T>): Promise<T> => {
    await queryDatabase(service, `ALTER TABLE ${table} RENAME COLUMN ${column} TO gone`);
    const result = await work();
    await queryDatabase(service, `ALTER TABLE ${table} RENAME COLUMN gone TO ${column}`);
    return result;
  };

  it('is server_error for an app and changes nothing', async () => {
    const tokens = await app.obtainTokens(service, bob);
    const httpResponse = await broken('oauth_access_tokens', 'scopes', () => app.refreshTokens(tokens.refresh_token));
    expect(httpResponse.status).toBe(500);
    expect(httpResponse.body).toEqual({ error: 'server_error', error_description: expect.any(String) });
    expect(httpResponse.headers.get('cache-control')).toBe('no-store');
    expect((await app.refreshTokens(tokens.refresh_token)).status).toBe(200);
  });

  it('keeps a code valid', async () => {
    const code = await app.obtainCode(service, bob);
    const httpResponse = await broken('oauth_refresh_tokens', 'expires_at', () => app.exchangeCode(code));
    expect(httpResponse.body.error).toBe('server_error');
    expect((await app.exchangeCode(code)).status).toBe(200);
  });

  it('is a page for a person', async () => {
    const httpResponse = await broken('oauth_requests', 'scopes', () => app.requestAuthorization());
    expect(httpResponse.status).toBe(500);
    expect(httpResponse.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(httpResponse.body).toContain(httpResponse.headers.get('x-request-id'));
  });

  it('writes no secret to the logs', async () => {
    const code = await app.obtainCode(service, bob, { state: 'a-state-of-the-app' });
    await app.postToEndpoint(
      'token',
      { grant_type: 'authorization_code', code, redirect_uri: 'x', code_verifier: 'x' },
      {},
    );
    const tokens = await app.obtainTokens(service, bob);
    await broken('oauth_token_families', 'scopes', () => app.refreshTokens(tokens.refresh_token));
    const last = await app.exchangeCode(code);
    await waitFor(() => expect(service.logs.join('')).toContain(last.headers.get('x-request-id')!));
    const logs = service.logs.join('');
    expect(logs).toContain('unexpected error');
    for (const secret of [code, app.clientSecret, tokens.access_token, tokens.refresh_token, 'a-state-of-the-app']) {
      expect(logs).not.toContain(secret);
      expect(logs).not.toContain(secret.slice(8));
    }
  });
});
