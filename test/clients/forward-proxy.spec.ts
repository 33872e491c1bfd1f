import { execFile } from 'node:child_process';
import { mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { CertificateAuthority } from '../support/certificates';
import { NODE_BINARIES } from '../support/clients/client-package';
import { getXapiPath, runXapi, XapiProcess } from '../support/clients/xapi';
import { describeWith } from '../support/dependencies';
import { ForwardProxy } from '../support/forward-proxy';
import { itTogether } from '../support/it-together';
import { MachineProcess } from '../support/machine-process';
import { findProgram } from '../support/program-files';
import { BUILD_FOLDER } from '../support/ensure-service-built';
import { createTempFolder } from '../support/temp-folder';
import { TlsFront } from '../support/tls-front';
import { waitFor } from '../support/wait-for';
import { runAction } from './support/action-runner';
import { IntegrationFixture } from './support/integration-fixture';
import { buildMcpServer, McpHost } from './support/mcp';

const NAME = 'svc.example.test';
const PASSWORD = 'p@ss/w0rd%';

describeWith('openssl')('programs behind a forward proxy', () => {
  let fixture: IntegrationFixture;
  let front: TlsFront;
  let proxy: ForwardProxy;
  let lockedProxy: ForwardProxy;
  let tlsProxy: ForwardProxy;
  let plainUrl: string;
  let secureUrl: string;
  let trust: Record<string, string>;
  let authority: CertificateAuthority;

  beforeAll(async () => {
    buildMcpServer();
    fixture = await IntegrationFixture.start();
    const folder = createTempFolder();
    authority = new CertificateAuthority(folder, 'company');
    trust = { NODE_EXTRA_CA_CERTS: join(folder, 'company.crt') };
    const port = Number(new URL(fixture.url).port);
    front = await TlsFront.start(authority.issueCertificate('service', `DNS:${NAME},IP:::1`), port);
    plainUrl = `http://${NAME}:${port}`;
    secureUrl = `https://${NAME}:${front.port}`;
    lockedProxy = await ForwardProxy.start({ credentials: `ada:${PASSWORD}` });
    tlsProxy = await ForwardProxy.start({ tls: authority.issueCertificate('proxy') });
  });
  beforeEach(async () => {
    proxy = await ForwardProxy.start();
    lockedProxy.requests.length = 0;
  });
  afterEach(() => proxy.stop());
  afterAll(async () => {
    for (const each of [front, lockedProxy, tlsProxy]) await each?.stop();
    await fixture?.stop();
  });

  const through = (url: string): Record<string, string> => ({ HTTPS_PROXY: url, HTTP_PROXY: url, ...trust });
  const xapiEnv = (host: string, env: Record<string, string>) => ({
    XAPI_HOST: host,
    XAPI_TOKEN: fixture.token,
    XDG_CONFIG_HOME: createTempFolder(),
    ...env,
  });
  const whoami = (host: string, env: Record<string, string>) => runXapi(['whoami'], xapiEnv(host, env));

  /** Runs a program of Node.js to its end. */
  function run(node: string, args: string[], env: Record<string, string>): Promise<{ out: string; err: string }> {
    return new Promise((resolve) =>
      execFile(node, args, { env: { PATH: process.env.PATH, ...env } }, (_, out, err) => resolve({ out, err })),
    );
  }

  const runDevice = (node: string, command: string, url: string, env: Record<string, string>) => {
    const options = ['--url', url, '--public-url', fixture.url, '--key-file', join(createTempFolder(), 'keys')];
    return run(
      node,
      [findProgram('device'), command, ...options, '--username', `ada-${Math.random()}`.slice(0, 12)],
      env,
    );
  };

  describe.each(NODE_BINARIES)('with %s', (node) => {
    it('xapi calls http and https services', async () => {
      for (const host of [plainUrl, secureUrl]) {
        const { out } = await run(node, [realpathSync(getXapiPath()), 'whoami'], xapiEnv(host, through(proxy.url)));
        expect(out).toContain(fixture.ada.username);
      }
      expect(proxy.requests).toEqual([`GET ${plainUrl}/external/v1/me`, `CONNECT ${NAME}:${front.port}`]);
    });

    it('the MCP server calls an https service, and ends with its host', async () => {
      const host = await McpHost.start(secureUrl, fixture.token, { command: node, env: through(proxy.url) });
      const { structuredContent } = await host.call('list_machines', {});
      expect(structuredContent.machines).toContainEqual(expect.objectContaining({ id: fixture.machine.id }));
      await host.stop();
      expect(proxy.requests).toContain(`CONNECT ${NAME}:${front.port}`);
      await waitFor(() => expect(proxy.openTunnels).toBe(0));
    });

    it('the action runs a command', async () => {
      const inputs = { host: secureUrl, token: fixture.token, machine: fixture.machine.id };
      const PATH = `${join(node, '..')}:${process.env.PATH}`;
      const env = { ...through(proxy.url), PATH };
      const ended = await runAction({ ...inputs, command: '["true"]' }, undefined, env);
      expect(ended).toMatchObject({ code: 0, outputs: { status: 'completed' } });
      expect(proxy.requests).toContain(`CONNECT ${NAME}:${front.port}`);
    });

    const SCHEMES: [string][] = [['http'], ['https']];
    itTogether(
      SCHEMES,
      'a machine serves calls over %s, and reconnects when the proxy cuts its socket',
      async (scheme) => {
        const url = scheme === 'http' ? plainUrl : secureUrl;
        const own = await ForwardProxy.start({ credentials: `ada:${PASSWORD}` });
        const machine = await MachineProcess.start(url, fixture.ada, {
          node,
          args: ['--cwd', fixture.folder],
          env: through(own.url),
        });
        try {
          expect(own.requests).toContain(`CONNECT ${new URL(url).host}`);
          const echo = async () =>
            (await runXapi(['run', machine.id, '--', 'echo', 'hi'], xapiEnv(fixture.url, {}))).out;
          expect(await echo()).toBe('hi\n');
          const countOf = (name: string) => machine.events.filter(({ event }) => event === name).length;
          const connected = countOf('connected');
          own.cutTunnels();
          await waitFor(() => expect(countOf('disconnected')).toBe(1));
          await waitFor(() => expect(countOf('connected')).toBe(connected + 1), 20_000);
          expect(await echo()).toBe('hi\n');
        } finally {
          await machine.stop();
          await own.stop();
        }
      },
    );

    it('the device signs up at an IPv6 address, which NO_PROXY can exclude', async () => {
      const url = `https://[::1]:${front.port}`;
      const { err } = await runDevice(node, 'signup', url, through(proxy.url));
      expect(proxy.requests).toContain(`CONNECT [::1]:${front.port}`);
      // Nothing listens there.
      expect(err).toContain(`the proxy ${proxy.name} can't connect to [::1]:${front.port} (status 502)`);
      proxy.requests.length = 0;
      const direct = await runDevice(node, 'signup', url, { ...through(proxy.url), NO_PROXY: '::1' });
      expect(direct.err).toContain('ECONNREFUSED');
      expect(proxy.requests).toEqual([]);
    });
  });

  it('sends passwords to the proxy, which may use TLS', async () => {
    expect((await whoami(secureUrl, through(lockedProxy.url))).code).toBe(0);
    expect((await whoami(plainUrl, through(lockedProxy.url))).code).toBe(0);
    expect((await whoami(secureUrl, through(tlsProxy.url))).code).toBe(0);
    expect(tlsProxy.requests).toEqual([`CONNECT ${NAME}:${front.port}`]);
  });

  it.each([
    ['127.0.0.1', 'IP:127.0.0.1'],
    ['localhost', 'DNS:localhost'],
  ])('checks the name of the TLS proxy %s for http services, which share a connection', async (name, altName) => {
    const named = await ForwardProxy.start({ tls: authority.issueCertificate('proxy', altName) });
    const modulePath = join(BUILD_FOLDER, 'packages', 'forward-proxy', 'src', 'programs.js');
    const targets = [plainUrl, plainUrl.replace(NAME, 'other.example.test'), plainUrl].map(
      (url) => `${url}/health/live`,
    );
    // A connection is free a moment after the response was read.
    const script = `
      require(${JSON.stringify(modulePath)}).useProxies().then(async () => {
        for (const url of ${JSON.stringify(targets)}) {
          await (await fetch(url)).text();
          await new Promise((resolve) => setTimeout(resolve, 100));
        }
        process.exit();
      });`;
    const { err } = await run(process.execPath, ['-e', script], through(named.url.replace('127.0.0.1', name)));
    const { requests, connections } = named;
    await named.stop();
    expect({ err, requests, connections }).toEqual({
      err: '',
      requests: targets.map((url) => `GET ${url}`),
      connections: 1,
    });
  });

  it('prefers lower-case variables, and connects directly to hosts of NO_PROXY', async () => {
    const env = { https_proxy: proxy.url, HTTPS_PROXY: 'http://127.0.0.1:9', ...trust };
    expect((await whoami(secureUrl, env)).code).toBe(0);
    proxy.requests.length = 0;
    for (const noProxy of ['127.0.0.1', `127.0.0.1:${new URL(fixture.url).port}`, '127.0.0.0/8', '*'])
      expect((await whoami(fixture.url, { ...through(proxy.url), NO_PROXY: noProxy })).code).toBe(0);
    expect(proxy.requests).toEqual([]);
    const { err } = await whoami(secureUrl, { ...env, no_proxy: 'example.test', NO_PROXY: 'other' });
    expect(err).toContain('There is no host with this name.');
  });

  it('refreshes an OAuth login, and streams events to a server of this computer', async () => {
    const XDG_CONFIG_HOME = createTempFolder();
    const tokens = { clientId: 'a', clientSecret: 'b', accessToken: 'c', refreshToken: 'd', expiresAt: 0 };
    mkdirSync(join(XDG_CONFIG_HOME, 'xapi'));
    writeFileSync(
      join(XDG_CONFIG_HOME, 'xapi', 'credentials.json'),
      JSON.stringify({ version: 1, currentHost: plainUrl, hosts: { [plainUrl]: { kind: 'oauth', ...tokens } } }),
      { mode: 0o600 },
    );
    await runXapi(['whoami'], { XDG_CONFIG_HOME, ...through(proxy.url) });
    expect(proxy.requests).toEqual([`POST ${plainUrl}/external/v1/oauth/token`]);

    let received = 0;
    const receiver = createServer((_, response) => void (received++, response.end()));
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
    const target = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hooks`;
    const env = xapiEnv(plainUrl, through(proxy.url));
    const listener = new XapiProcess(['webhooks', 'listen', '--forward', target], env);
    await listener.waitForOutput('Signing secret');
    await fixture.startSession();
    await waitFor(() => expect(received).toBeGreaterThan(0), 20_000);
    listener.child.kill('SIGKILL');
    receiver.close();
    expect(proxy.requests).toContain(`GET ${plainUrl}/external/v1/events`);
    expect(proxy.requests.filter((request) => request.includes('/hooks'))).toEqual([]);
  });

  describe('names the proxy and never its password in errors', () => {
    const wrong = () => lockedProxy.url.replace(encodeURIComponent(PASSWORD), 'secret');
    const cases: [string, () => Record<string, string>, () => string][] = [
      ['rejects a password', () => through(wrong()), () => `the proxy ${lockedProxy.name} rejects the user name`],
      [
        'demands a password',
        () => through(`http://${lockedProxy.name}`),
        () => `${lockedProxy.name} requires a password`,
      ],
      ['is down', () => through('http://ada:secret@127.0.0.1:9'), () => "the proxy 127.0.0.1:9 can't be reached"],
      ['is of another kind', () => through('socks5://ada:secret@127.0.0.1:9'), () => 'not the URL of an HTTP proxy'],
    ];

    it.each(cases)('when it %s', async (_, env, text) => {
      const tryUrl = async (url: string) => {
        const device = runDevice(process.execPath, 'signup', url, env());
        const xapi = await whoami(url, env());
        expect(xapi).toMatchObject({ code: 4, out: '' });
        expect(xapi.err).toContain(text());
        expect(xapi.err).toMatch(/HTTPS?_PROXY/);
        expect((await device).err).toContain(text());
        expect(xapi.err + (await device).err).not.toMatch(/secret|p%40|p@ss/);
      };
      const inputs = { host: secureUrl, token: fixture.token, machine: fixture.machine.id, command: '["true"]' };
      const [action, mcpError] = await Promise.all([
        runAction(inputs, undefined, env()),
        readMcpError(env()),
        tryUrl(plainUrl),
        tryUrl(secureUrl),
      ]);
      expect(action).toMatchObject({ code: 1, outputs: { status: 'not_delivered' } });
      expect(action.stdout).toContain(text());
      expect(mcpError).toContain(text());
      expect(mcpError).not.toMatch(/secret|p%40|p@ss/);
    });

    async function readMcpError(env: Record<string, string>): Promise<string> {
      const host = await McpHost.start(secureUrl, fixture.token, { env });
      const { isError, content } = await host.call('list_machines', {});
      await host.stop();
      expect(isError).toBe(true);
      return content[0].text;
    }

    it('when it refuses the host, answers itself, or the certificate is not trusted', async () => {
      proxy.refusal = 403;
      const { HTTPS_PROXY, HTTP_PROXY } = through(proxy.url);
      const refused = await whoami(secureUrl, { HTTPS_PROXY: HTTPS_PROXY! });
      expect(refused.err).toContain(`the proxy ${proxy.name} refuses to connect to ${NAME}:${front.port} (status 403)`);
      const answered = await whoami(plainUrl, { HTTP_PROXY: HTTP_PROXY! });
      expect(answered.err).toContain(`(HTTP status 403). The request used the proxy ${proxy.name}.`);
      const local = await whoami(fixture.url, { HTTP_PROXY: HTTP_PROXY! });
      expect(local.err).toContain(`the proxy ${proxy.name}. Set NO_PROXY=127.0.0.1 to connect without it.`);
      const device = await runDevice(process.execPath, 'signup', plainUrl, { HTTP_PROXY: HTTP_PROXY! });
      expect(device.err).toContain(`status 403 and text/html. The request used the proxy ${proxy.name}.`);
      proxy.refusal = null;
      const untrusted = await whoami(secureUrl, { HTTPS_PROXY: HTTPS_PROXY! });
      expect(untrusted.err).toContain(`Its certificate is not trusted. The request used the proxy ${proxy.name}.`);
      expect(untrusted.err).toContain('NODE_EXTRA_CA_CERTS');
    });

    it('when it never answers', async () => {
      proxy.isSilent = true;
      const { err } = await runDevice(process.execPath, 'signup', secureUrl, through(proxy.url));
      expect(err).toContain(`the proxy ${proxy.name} opened no connection to ${NAME}:${front.port} within 8 seconds`);
    });
  });
});
