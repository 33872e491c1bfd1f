import { setTimeout as sleep } from 'node:timers/promises';
import { query } from '../../support/database';
import { AccountDevice } from '../../support/device/foreign-device';
import { ThirdParty } from '../../support/oauth/third-party';
import { Service } from '../../support/service';

describe('a fault of the service', () => {
  let service: Service;
  let bob: AccountDevice;
  let app: ThirdParty;

  beforeAll(async () => {
    service = await Service.start({ LOG_LEVEL: 'trace' });
    bob = await AccountDevice.signUp(service.http);
    app = await ThirdParty.register(await AccountDevice.signUp(service.http));
  });
  afterAll(() => service?.stop());

  const broken = async <T>(table: string, column: string, work: () => Promise<T>): Promise<T> => {
    await query(service, `ALTER TABLE ${table} RENAME COLUMN ${column} TO gone`);
    const result = await work();
    await query(service, `ALTER TABLE ${table} RENAME COLUMN gone TO ${column}`);
    return result;
  };

  it('is server_error to an app, and changes nothing', async () => {
    const tokens = await app.tokens(service, bob);
    const answer = await broken('oauth_access_tokens', 'scopes', () => app.refresh(tokens.refresh_token));
    expect(answer.status).toBe(500);
    expect(answer.body).toEqual({ error: 'server_error', error_description: expect.any(String) });
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect((await app.refresh(tokens.refresh_token)).status).toBe(200);
  });

  it('leaves a code as good as it was', async () => {
    const code = await app.code(service, bob);
    const answer = await broken('oauth_refresh_tokens', 'expires_at', () => app.exchange(code));
    expect(answer.body.error).toBe('server_error');
    expect((await app.exchange(code)).status).toBe(200);
  });

  it('is a page to a person', async () => {
    const answer = await broken('oauth_requests', 'scopes', () => app.authorize());
    expect(answer.status).toBe(500);
    expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(answer.body).toContain(answer.headers.get('x-request-id'));
  });

  it('brings no secret into the logs, nor does anything else', async () => {
    const code = await app.code(service, bob, { state: 'a-state-of-the-app' });
    await app.post('token', { grant_type: 'authorization_code', code, redirect_uri: 'x', code_verifier: 'x' }, {});
    const tokens = await app.tokens(service, bob);
    await broken('oauth_token_families', 'scopes', () => app.refresh(tokens.refresh_token));
    await app.exchange(code);
    await sleep(50);
    const logs = service.logs.join('');
    expect(logs).toContain('unexpected error');
    for (const secret of [code, app.clientSecret, tokens.access_token, tokens.refresh_token, 'a-state-of-the-app']) {
      expect(logs).not.toContain(secret);
      expect(logs).not.toContain(secret.slice(8));
    }
  });
});
