import { mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { NODE_BINARIES } from '../support/clients/client-package';
import { getXapiPath, runXapi, XapiProcess } from '../support/clients/xapi';
import { describeWith } from '../support/dependencies';
import { ForwardProxy } from '../support/forward-proxy';
import { itTogether } from '../support/it-together';
import { MachineProcess } from '../support/machine-process';
import { createTempFolder } from '../support/temp-folder';
import { waitFor } from '../support/wait-for';
import { runAction } from './support/action-runner';
import { buildMcpServer, McpHost } from './support/mcp';
import { NAME, PASSWORD, PROXY_MODULE, ProxiedNetwork, runNode } from './support/proxied-network';

describeWith('openssl')('programs behind a forward proxy', () => {
  let network: ProxiedNetwork;
  let proxy: ForwardProxy;

  beforeAll(async () => {
    buildMcpServer();
    network = await ProxiedNetwork.start();
  });
  beforeEach(async () => {
    proxy = await ForwardProxy.start();
  });
  afterEach(() => proxy.stop());
  afterAll(() => network?.stop());

  describe.each(NODE_BINARIES)('with %s', (node) => {
    it('xapi calls http and https services', async () => {
      for (const host of [network.plainUrl, network.secureUrl]) {
        const { out } = await runNode(
          node,
          [realpathSync(getXapiPath()), 'whoami'],
          network.createXapiEnv(host, network.through(proxy.url)),
        );
        expect(out).toContain(network.fixture.ada.username);
      }
      expect(proxy.requests).toEqual([
        `GET ${network.plainUrl}/external/v1/me`,
        `CONNECT ${NAME}:${network.front.port}`,
      ]);
    });

    it('the MCP server calls an https service, and ends with its host', async () => {
      const host = await McpHost.start(network.secureUrl, network.fixture.token, {
        command: node,
        env: network.through(proxy.url),
      });
      const { structuredContent } = await host.call('list_machines', {});
      expect(structuredContent.machines).toContainEqual(expect.objectContaining({ id: network.fixture.machine.id }));
      await host.stop();
      expect(proxy.requests).toContain(`CONNECT ${NAME}:${network.front.port}`);
      await waitFor(() => expect(proxy.openTunnels).toBe(0));
    });

    it('the action runs a command', async () => {
      const inputs = { host: network.secureUrl, token: network.fixture.token, machine: network.fixture.machine.id };
      const PATH = `${join(node, '..')}:${process.env.PATH}`;
      const env = { ...network.through(proxy.url), PATH };
      const ended = await runAction({ ...inputs, command: '["true"]' }, undefined, env);
      expect(ended).toMatchObject({ code: 0, outputs: { status: 'completed' } });
      expect(proxy.requests).toContain(`CONNECT ${NAME}:${network.front.port}`);
    });

    const SCHEMES: [string][] = [['http'], ['https']];
    itTogether(
      SCHEMES,
      'a machine serves calls over %s, and reconnects when the proxy cuts its socket',
      async (scheme) => {
        const url = scheme === 'http' ? network.plainUrl : network.secureUrl;
        const own = await ForwardProxy.start({ credentials: `ada:${PASSWORD}` });
        const machine = await MachineProcess.start(url, network.fixture.ada, {
          node,
          args: ['--cwd', network.fixture.folder],
          env: network.through(own.url),
        });
        try {
          expect(own.requests).toContain(`CONNECT ${new URL(url).host}`);
          const echo = async () =>
            (await runXapi(['run', machine.id, '--', 'echo', 'hi'], network.createXapiEnv(network.fixture.url, {})))
              .out;
          expect(await echo()).toBe('hi\n');
          const countOf = (name: string) => machine.events.filter(({ event }) => event === name).length;
          const connected = countOf('connected');
          own.refusal = 502;
          own.cutTunnels();
          await waitFor(() => expect(countOf('disconnected')).toBe(1));
          const reason = `The socket couldn't be opened: the proxy ${own.name} can't connect to ${new URL(url).host} (`;
          const waiting = { event: 'waiting', reason: expect.stringContaining(reason) };
          await waitFor(() => expect(machine.events).toContainEqual(expect.objectContaining(waiting)), 20_000);
          own.refusal = null;
          await waitFor(() => expect(countOf('connected')).toBe(connected + 1), 20_000);
          expect(await echo()).toBe('hi\n');
        } finally {
          await machine.stop();
          await own.stop();
        }
      },
    );

    it('the device signs up at an IPv6 address, which NO_PROXY can exclude', async () => {
      const url = `https://[::1]:${network.front.port}`;
      const { err } = await network.runDevice(node, 'signup', url, network.through(proxy.url));
      expect(proxy.requests).toContain(`CONNECT [::1]:${network.front.port}`);
      // Nothing listens there.
      expect(err).toContain(`the proxy ${proxy.name} can't connect to [::1]:${network.front.port} (status 502)`);
      proxy.requests.length = 0;
      const direct = await network.runDevice(node, 'signup', url, { ...network.through(proxy.url), NO_PROXY: '::1' });
      expect(direct.err).toContain('ECONNREFUSED');
      expect(proxy.requests).toEqual([]);
    });
  });

  it('sends passwords to the proxy, which may use TLS', async () => {
    expect((await network.runWhoami(network.secureUrl, network.through(network.lockedProxy.url))).code).toBe(0);
    expect((await network.runWhoami(network.plainUrl, network.through(network.lockedProxy.url))).code).toBe(0);
    expect((await network.runWhoami(network.secureUrl, network.through(network.tlsProxy.url))).code).toBe(0);
    expect(network.tlsProxy.requests).toEqual([`CONNECT ${NAME}:${network.front.port}`]);
  });

  it.each([
    ['127.0.0.1', 'IP:127.0.0.1'],
    ['localhost', 'DNS:localhost'],
  ])('checks the name of the TLS proxy %s for http services, which share a connection', async (name, altName) => {
    const named = await ForwardProxy.start({ tls: network.authority.issueCertificate('proxy', altName) });
    const targets = [network.plainUrl, network.plainUrl.replace(NAME, 'other.example.test'), network.plainUrl].map(
      (url) => `${url}/health/live`,
    );
    // A connection is free a moment after the response was read.
    const script = `
      require(${JSON.stringify(PROXY_MODULE)}).useProxies().then(async () => {
        for (const url of ${JSON.stringify(targets)}) {
          await (await fetch(url)).text();
          await new Promise((resolve) => setTimeout(resolve, 100));
        }
        process.exit();
      });`;
    const { err } = await runNode(
      process.execPath,
      ['-e', script],
      network.through(named.url.replace('127.0.0.1', name)),
    );
    const { requests, connections } = named;
    await named.stop();
    expect({ err, requests, connections }).toEqual({
      err: '',
      requests: targets.map((url) => `GET ${url}`),
      connections: 1,
    });
  });

  it('prefers lower-case variables, and connects directly to hosts of NO_PROXY', async () => {
    const env = { https_proxy: proxy.url, HTTPS_PROXY: 'http://127.0.0.1:9', ...network.trust };
    expect((await network.runWhoami(network.secureUrl, env)).code).toBe(0);
    proxy.requests.length = 0;
    for (const noProxy of ['127.0.0.1', `127.0.0.1:${new URL(network.fixture.url).port}`, '127.0.0.0/8', '*'])
      expect(
        (await network.runWhoami(network.fixture.url, { ...network.through(proxy.url), NO_PROXY: noProxy })).code,
      ).toBe(0);
    expect(proxy.requests).toEqual([]);
    const { err } = await network.runWhoami(network.secureUrl, { ...env, no_proxy: 'example.test', NO_PROXY: 'other' });
    expect(err).toContain('There is no host with this name.');
  });

  it('refreshes an OAuth login, and streams events to a server of this computer', async () => {
    const XDG_CONFIG_HOME = createTempFolder();
    const tokens = { clientId: 'a', clientSecret: 'b', accessToken: 'c', refreshToken: 'd', expiresAt: 0 };
    mkdirSync(join(XDG_CONFIG_HOME, 'xapi'));
    writeFileSync(
      join(XDG_CONFIG_HOME, 'xapi', 'credentials.json'),
      JSON.stringify({
        version: 1,
        currentHost: network.plainUrl,
        hosts: { [network.plainUrl]: { kind: 'oauth', ...tokens } },
      }),
      { mode: 0o600 },
    );
    await runXapi(['whoami'], { XDG_CONFIG_HOME, ...network.through(proxy.url) });
    expect(proxy.requests).toEqual([`POST ${network.plainUrl}/external/v1/oauth/token`]);

    let received = 0;
    const receiver = createServer((_, response) => void (received++, response.end()));
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
    const target = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hooks`;
    const env = network.createXapiEnv(network.plainUrl, network.through(proxy.url));
    const listener = new XapiProcess(['webhooks', 'listen', '--forward', target], env);
    await listener.waitForOutput('Signing secret');
    await network.fixture.startSession();
    await waitFor(() => expect(received).toBeGreaterThan(0), 20_000);
    listener.child.kill('SIGKILL');
    receiver.close();
    expect(proxy.requests).toContain(`GET ${network.plainUrl}/external/v1/events`);
    expect(proxy.requests.filter((request) => request.includes('/hooks'))).toEqual([]);
  });
});
