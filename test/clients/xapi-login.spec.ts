import { spawnSync } from 'node:child_process';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { FaultProxy } from '../support/clients/fault-proxy';
import { readJson, runOnTerminal, runXapi, XapiProcess, type XapiEnv } from '../support/clients/xapi';
import { ConsoleClient } from '../support/console-client';
import { itWith } from '../support/dependencies';
import { expectStatus, ForeignAccountDevice } from '../support/device/foreign-device';
import { grantBrowserConsent } from '../support/oauth/browser-consent';
import { decideConsent, ThirdPartyApp } from '../support/oauth/third-party-app';
import { createScratchFolder } from '../support/scratch-folder';
import { Service } from '../support/service';
import { createShiftedClockEnvironment } from '../support/shifted-clock';

const UNKNOWN_TOKEN = `svc_pat_${'0'.repeat(36)}`;
const HOUR = 3_600_000;
const onTerminal = itWith('script');

describe('the logins of xapi', () => {
  let service: Service;
  let ada: ForeignAccountDevice;
  let token: string;
  let env: XapiEnv;

  beforeAll(async () => {
    service = await Service.start({ RATE_LIMIT_METADATA: '100000' });
    ada = await ForeignAccountDevice.signUp(service.http);
    ({ token } = await ada.createToken(['sessions:read', 'profile:read']));
  });
  afterAll(() => service?.stop());
  beforeEach(() => {
    env = { XDG_CONFIG_HOME: createScratchFolder() };
  });

  const xapi = (...args: string[]) => runXapi(args, env);
  const credentialPath = () => join(env.XDG_CONFIG_HOME!, 'xapi', 'credentials.json');
  const readLogin = () => JSON.parse(readFileSync(credentialPath(), 'utf8')).hosts[service.url];
  const logIn = () => runXapi(['login', '--host', service.url], env, `${token}\n`);

  describe('with a personal access token', () => {
    itWith('ps')('reads it from standard input, and stores it for its owner only', async () => {
      const login = new XapiProcess(['login', '--host', service.url, '--verbose'], env, `${token}\n`);
      const { stdout } = spawnSync('ps', ['-A', '-o', 'args='], { encoding: 'utf8' });
      const { code, out, err } = await login.exited;
      expect({ code, out }).toEqual({ code: 0, out: `Logged in to ${service.url} as ${ada.username}.\n` });
      expect(stdout).toContain(`login --host ${service.url}`);
      expect(stdout + out + err).not.toContain(token);
      expect(statSync(credentialPath()).mode & 0o777).toBe(0o600);
      expect(statSync(join(credentialPath(), '..')).mode & 0o777).toBe(0o700);
      expect(readLogin()).toEqual({ kind: 'token', token });
      expect(await readJson(['whoami'], env)).toMatchObject({ account: { id: ada.accountId } });
    });

    it('shows the machines that it is limited to, and the way out elsewhere', async () => {
      const machines: string[] = [];
      for (const name of ['box', 'other']) {
        const machine = await ada.pairDevice('machine');
        const body = { name, platform: 'linux' };
        machines.push(expectStatus(await service.http.post('/v1/machines', machine.token, body), 201).data.id);
      }
      const [box, other] = machines as [string, string];
      const scopes = ['machines:read', 'machines:invoke'];
      const limited = await ada.createToken(scopes, { machineIds: [box] });
      const environment = { ...env, XAPI_HOST: service.url, XAPI_TOKEN: limited.token };
      expect((await runXapi(['whoami'], environment)).out).toMatch(new RegExp(`^Machines +${box}$`, 'm'));
      expect(await readJson(['whoami'], environment)).toMatchObject({ token: { machineIds: [box] } });
      const { code, err } = await runXapi(['run', other, '--', 'true'], environment);
      expect({ code, err }).toEqual({
        code: 125,
        err: expect.stringContaining('Use one of the machines of this token'),
      });
      await logIn();
      expect((await xapi('whoami')).out).toMatch(/^Machines +all$/m);
    });

    it.each([
      ['that the service does not know', UNKNOWN_TOKEN, 1],
      ['that is none', 'a password', 2],
      ['that is empty', '\n', 2],
    ])('stores no token %s, and keeps the login before', async (_, input, status) => {
      await logIn();
      const { code, out, err } = await runXapi(['login', '--host', service.url], env, input);
      expect({ code, out }).toEqual({ code: status, out: '' });
      expect(err).toMatch(/^error: .+\./);
      if (input.trim() !== '') expect(err).not.toContain(input.trim());
      expect(readLogin()).toEqual({ kind: 'token', token });
    });

    it('never takes a token as an argument, and does not print one', async () => {
      const { code, out, err } = await xapi('login', token, '--host', service.url);
      expect(code).toBe(2);
      expect(out + err).not.toContain(token.slice(10));
    });

    onTerminal('asks for it on a terminal, without showing it', async () => {
      const prompt = 'Or paste a personal access token: ';
      const { code, text } = await runOnTerminal(`xapi login --host ${service.url} --no-browser`, env, {
        prompt,
        input: `${token}\n`,
      });
      expect(code).toBe(0);
      expect(text).toContain('Logged in to');
      expect(text).not.toContain(token);
      expect(readLogin()).toMatchObject({ token });
    });

    onTerminal('gets one that the user creates in the console, without a copy of it', async () => {
      const client = await ConsoleClient.signIn(service.url, ada);
      const csrf = await client.readCsrfToken();
      const create = async (text: string): Promise<void> => {
        const [address] = /^http\S+\/console\/tokens\/new\S+$/m.exec(text)!;
        const { html } = await client.get(address.slice(service.url.length));
        expect(html).toMatch(new RegExp(`name="name"[^>]* value="xapi on ${hostname()}"`));
        const fields = [...html.matchAll(/type="hidden" name="(key|port|state)" value="([^"]+)"/g)];
        const scopes = [...html.matchAll(/name="(scopes)" value="([^"]+)" checked/g)];
        const chosen = [...fields, ...scopes].map(([, name, value]) => [name!, value!]);
        const form = [['csrf', csrf], ['name', 'xapi'], ...chosen];
        const { status, headers } = await client.post('/console/tokens', form);
        const location = headers.get('Location')!;
        expect({ status, location }).toEqual({
          status: 303,
          location: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/callback\?state=[\w-]+&token=[\w.-]+$/),
        });
        for (const forged of [location.replace(/state=[\w-]+/, 'state=another'), location.replace('callback', '')])
          expect((await fetch(forged)).status).toBe(400);
        expect(await (await fetch(location)).text()).toContain('You can close this window.');
      };
      const { code, text } = await runOnTerminal(`xapi login --host ${service.url} --no-browser`, env, {
        prompt: 'Or paste a personal access token: ',
        onPrompt: create,
      });
      expect({ code, text }).toEqual({ code: 0, text: expect.stringContaining(`Logged in to ${service.url}`) });
      expect(text).not.toContain(readLogin().token);
      const me = await readJson(['whoami'], env);
      expect(me.token.scopes).toEqual(expect.arrayContaining(['machines:invoke', 'sessions:approve']));
    });

    onTerminal('stores nothing if the user refuses in the console', async () => {
      const { code, text } = await runOnTerminal(`xapi login --host ${service.url} --no-browser`, env, {
        prompt: 'Or paste a personal access token: ',
        onPrompt: async (shown) => {
          const address = new URL(/^http\S+\/console\/tokens\/new\S+$/m.exec(shown)![0]);
          const { port, state } = Object.fromEntries(address.searchParams);
          await fetch(`http://127.0.0.1:${port}/callback?state=${state}&error=access_denied`);
        },
      });
      expect({ code, text }).toEqual({ code: 1, text: expect.stringContaining('The authorization was refused.') });
      expect(await xapi('whoami')).toMatchObject({ code: 1 });
    });

    it('deletes it at logout, and says that it stays valid', async () => {
      await logIn();
      const { code, out, err } = await xapi('logout');
      expect({ code, out }).toEqual({ code: 0, out: `Logged out of ${service.url}.\n` });
      expect(err).toContain('stays valid until you revoke it');
      expect(readFileSync(credentialPath(), 'utf8')).not.toContain(token);
      expect(await xapi('whoami')).toMatchObject({ code: 1, out: '' });
      expect((await xapi('logout')).err).toBe('error: You are not logged in.\n');
    });

    it('sends a stored token to the host of its login only', async () => {
      await logIn();
      const other = await FaultProxy.start(service.url);
      const { code, err } = await xapi('whoami', '--host', other.url);
      expect(code).toBe(1);
      expect(err).toContain(`You are not logged in to ${other.url}.`);
      expect(other.requests).toEqual([]);
      await other.stop();
    });

    it('prefers the environment, and needs no file with it', async () => {
      const environment = { ...env, XAPI_HOST: service.url, XAPI_TOKEN: token };
      expect(await readJson(['whoami'], environment)).toMatchObject({ account: { id: ada.accountId } });
      await logIn();
      const refused = await runXapi(['whoami'], { ...environment, XAPI_TOKEN: UNKNOWN_TOKEN });
      expect(refused).toMatchObject({ code: 1, out: '' });
      expect(refused.err).not.toContain(UNKNOWN_TOKEN);
      const elsewhere = { ...env, XAPI_HOST: 'http://127.0.0.1:1' };
      expect((await runXapi(['whoami'], elsewhere)).err).toContain('You are not logged in to http://127.0.0.1:1.');
    });
  });

  describe('as an app', () => {
    let app: ThirdPartyApp;
    beforeAll(async () => {
      app = await ThirdPartyApp.register(ada, 'http://127.0.0.1/callback');
    });

    /** Starts a login, and returns it with the address that it shows. */
    async function startLogin(...options: string[]): Promise<{ login: XapiProcess; address: URL }> {
      const args = ['login', '--host', service.url, '--client-id', app.clientId, ...options];
      const login = new XapiProcess(args, env, `${app.clientSecret}\n`);
      await login.waitForOutput('code_challenge_method=S256');
      return { login, address: new URL(/^http\S+authorize\S+$/m.exec(login.err)![0]) };
    }

    async function logInAsApp(): Promise<void> {
      const { login, address } = await startLogin();
      const response = await fetch(await grantBrowserConsent(service, ada, address));
      expect(await response.text()).toContain('You can close this window.');
      expect(await login.exited).toMatchObject({ code: 0 });
    }

    it('lets a person consent in the browser, with PKCE and a redirect to this computer', async () => {
      const { login, address } = await startLogin();
      const query = Object.fromEntries(address.searchParams);
      expect(query).toMatchObject({ response_type: 'code', client_id: app.clientId, code_challenge_method: 'S256' });
      expect(query.redirect_uri).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/callback$/);
      const redirect = await grantBrowserConsent(service, ada, address);
      const forged = new URL(redirect);
      forged.searchParams.set('state', 'another');
      for (const wrong of [forged, `${forged.origin}//`]) expect((await fetch(wrong)).status).toBe(400);
      expect((await fetch(redirect)).status).toBe(200);
      const { code, out, err } = await login.exited;
      expect(code).toBe(0);
      expect(out).toContain(`Logged in to ${service.url}`);
      const stored = readLogin();
      expect(stored).toMatchObject({
        kind: 'oauth',
        clientId: app.clientId,
        accessToken: expect.stringMatching(/^svc_oat_/),
      });
      expect(statSync(credentialPath()).mode & 0o777).toBe(0o600);
      for (const secret of [app.clientSecret, stored.accessToken, stored.refreshToken])
        expect(out + err).not.toContain(secret);
      expect(await readJson(['whoami'], env)).toMatchObject({ token: { type: 'oauth', appId: app.clientId } });
      expect(await xapi('sessions')).toMatchObject({ code: 0 });
    });

    it('stores nothing if the person refuses, and asks for the scopes that the user names', async () => {
      const { login, address } = await startLogin('--scopes', 'sessions:read,machines:read');
      expect(address.searchParams.get('scope')).toBe('sessions:read machines:read');
      const asked = await service.http.get(address.pathname + address.search);
      const response = await fetch(await decideConsent(service, ada, asked, 'deny'));
      expect(await response.text()).toContain('Nothing was authorized.');
      const { code, out, err } = await login.exited;
      expect({ code, out, err: err.split('\n').at(-2) }).toEqual({
        code: 1,
        out: '',
        err: 'error: The authorization was refused.',
      });
      expect(await xapi('whoami')).toMatchObject({ code: 1 });
    });

    it.each([
      ['run', ['run', 'build-1', '--', 'true'], 125],
      ['start', ['start', 'build-1'], 1],
      ['approve', ['approve', `ses_${'0'.repeat(26)}`, '--yes'], 1],
      ['end', ['end', `ses_${'0'.repeat(26)}`], 1],
    ])('refuses %s in a plain sentence', async (_, args, status) => {
      await logInAsApp();
      const { code, out, err } = await runXapi(args, env);
      expect({ code, out }).toEqual({ code: status, out: '' });
      expect(err).toMatch(/^error: You are logged in as an app, and apps may not [\w ]+\.\nLog in with a personal/);
    });

    it('refreshes an expired login once, however many processes notice it at once', async () => {
      await logInAsApp();
      const before = readLogin();
      const later = { ...env, ...createShiftedClockEnvironment(HOUR) } as XapiEnv;
      const exits = await Promise.all(Array.from({ length: 10 }, () => runXapi(['whoami', '--json'], later)));
      expect(exits.map(({ code, err }) => ({ code, err }))).toEqual(exits.map(() => ({ code: 0, err: '' })));
      const after = readLogin();
      expect(after.refreshToken).not.toBe(before.refreshToken);
      expect(after.accessToken).not.toBe(before.accessToken);
      expect(await xapi('whoami')).toMatchObject({ code: 0 });
    });

    it('refreshes a login that the service refuses, whatever the clock says', async () => {
      await logInAsApp();
      const before = readLogin();
      service.advanceClock(2 * HOUR);
      const behind = { ...env, ...createShiftedClockEnvironment(-HOUR) } as XapiEnv;
      expect(await runXapi(['whoami'], behind)).toMatchObject({ code: 0, err: '' });
      expect(readLogin().refreshToken).not.toBe(before.refreshToken);
    });

    it('keeps the login when the connection breaks during a refresh, and believes no portal at logout', async () => {
      const proxy = await FaultProxy.start(service.url);
      await logInAsApp();
      const { hosts } = JSON.parse(readFileSync(credentialPath(), 'utf8'));
      const proxied = { [proxy.url]: { ...hosts[service.url], expiresAt: 0 } };
      writeFileSync(credentialPath(), JSON.stringify({ version: 1, currentHost: proxy.url, hosts: proxied }));
      proxy.faults = ['reset-before'];
      for (let n = 0; n < 2; n++) expect(await xapi('whoami')).toMatchObject({ code: 0, err: '' });
      proxy.lastingFault = { status: 200, headers: { 'content-type': 'text/html' }, body: '<html>Portal</html>' };
      const { code, err } = await xapi('logout');
      await proxy.stop();
      expect([code, err]).toEqual([0, expect.stringContaining("doesn't confirm it, so its tokens may stay valid")]);
    });

    it('revokes the tokens at logout', async () => {
      await logInAsApp();
      const { accessToken } = readLogin();
      expect(await xapi('logout')).toMatchObject({ code: 0, err: '' });
      expect((await service.http.get('/external/v1/me', accessToken)).body).toMatchObject({ code: 'invalid_token' });
    });
  });
});
