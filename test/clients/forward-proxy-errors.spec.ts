import { join } from 'node:path';
import { describeWith } from '../support/dependencies';
import { ForwardProxy } from '../support/forward-proxy';
import { findProgram } from '../support/program-files';
import { createTempFolder } from '../support/temp-folder';
import { runAction } from './support/action-runner';
import { buildMcpServer, McpHost } from './support/mcp';
import { NAME, PASSWORD, PROXY_MODULE, ProxiedNetwork, runNode } from './support/proxied-network';

describeWith('openssl')('an error names the forward proxy and never its password', () => {
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

  const wrong = () => network.lockedProxy.url.replace(encodeURIComponent(PASSWORD), 'secret');
  const cases: [string, () => Record<string, string>, () => string][] = [
    [
      'rejects a password',
      () => network.through(wrong()),
      () => `the proxy ${network.lockedProxy.name} rejects the user name`,
    ],
    [
      'demands a password',
      () => network.through(`http://${network.lockedProxy.name}`),
      () => `${network.lockedProxy.name} requires a password`,
    ],
    ['is down', () => network.through('http://ada:secret@127.0.0.1:9'), () => "the proxy 127.0.0.1:9 can't be reached"],
    [
      'is of another kind',
      () => network.through('socks5://ada:secret@127.0.0.1:9'),
      () => 'not the URL of an HTTP proxy',
    ],
  ];

  it.each(cases)('when it %s', async (_, env, text) => {
    const tryUrl = async (url: string) => {
      const device = network.runDevice(process.execPath, 'signup', url, env());
      const xapi = await network.runWhoami(url, env());
      expect(xapi).toMatchObject({ code: 4, out: '' });
      expect(xapi.err).toContain(text());
      expect(xapi.err).toMatch(/HTTPS?_PROXY/);
      expect((await device).err).toContain(text());
      expect(xapi.err + (await device).err).not.toMatch(/secret|p%40|p@ss/);
    };
    const inputs = {
      host: network.secureUrl,
      token: network.fixture.token,
      machine: network.fixture.machine.id,
      command: '["true"]',
    };
    const [action, mcpError] = await Promise.all([
      runAction(inputs, undefined, env()),
      readMcpError(env()),
      tryUrl(network.plainUrl),
      tryUrl(network.secureUrl),
    ]);
    expect(action).toMatchObject({ code: 1, outputs: { status: 'not_delivered' } });
    expect(action.stdout).toContain(text());
    expect(mcpError).toContain(text());
    expect(mcpError).not.toMatch(/secret|p%40|p@ss/);
  });

  async function readMcpError(env: Record<string, string>, url = network.secureUrl): Promise<string> {
    const host = await McpHost.start(url, network.fixture.token, { env });
    const { isError, content } = await host.call('list_machines', {});
    await host.stop();
    expect(isError).toBe(true);
    return content[0].text;
  }

  it('when it refuses the host, answers itself, or the certificate is not trusted', async () => {
    proxy.refusal = 403;
    const { HTTPS_PROXY, HTTP_PROXY } = network.through(proxy.url);
    const refused = await network.runWhoami(network.secureUrl, { HTTPS_PROXY: HTTPS_PROXY! });
    expect(refused.err).toContain(
      `the proxy ${proxy.name} refuses to connect to ${NAME}:${network.front.port} (status 403)`,
    );
    const withoutPort = await network.runWhoami(`https://${NAME}`, { HTTPS_PROXY: HTTPS_PROXY! });
    expect(withoutPort.err).toContain(`the proxy ${proxy.name} refuses to connect to ${NAME}:443 (status 403)`);
    const answered = await network.runWhoami(network.plainUrl, { HTTP_PROXY: HTTP_PROXY! });
    expect(answered.err).toContain(`(HTTP status 403). The request used the proxy ${proxy.name}.`);
    const local = await network.runWhoami(network.fixture.url, { HTTP_PROXY: HTTP_PROXY! });
    expect(local.err).toContain(`the proxy ${proxy.name}. Set NO_PROXY=127.0.0.1 to connect without it.`);
    const device = await network.runDevice(process.execPath, 'signup', network.plainUrl, { HTTP_PROXY: HTTP_PROXY! });
    expect(device.err).toContain(`status 403 and text/html. The request used the proxy ${proxy.name}.`);
    const inputs = {
      host: network.plainUrl,
      token: network.fixture.token,
      machine: network.fixture.machine.id,
      command: '["true"]',
    };
    const action = await runAction(inputs, undefined, { HTTP_PROXY: HTTP_PROXY! });
    expect(action.stdout).toContain(`The request used the proxy ${proxy.name}.`);
    const mcpError = await readMcpError({ HTTP_PROXY: HTTP_PROXY! }, network.plainUrl);
    expect(mcpError).toContain(`The request used the proxy ${proxy.name}.`);
    proxy.refusal = null;
    const untrusted = await network.runWhoami(network.secureUrl, { HTTPS_PROXY: HTTPS_PROXY! });
    expect(untrusted.err).toContain(`Its certificate is not trusted. The request used the proxy ${proxy.name}.`);
    expect(untrusted.err).toContain('NODE_EXTRA_CA_CERTS');
  });

  it('with NO_PROXY as the advice for hosts of this computer', async () => {
    const hosts = ['localhost:3000', 'api.localhost', '127.1.2.3', '[::1]:3000', 'localhost.example'];
    const script = `
      const { useProxies, withProxyName } = require(${JSON.stringify(PROXY_MODULE)});
      useProxies().then(() => {
        for (const host of ${JSON.stringify(hosts)}) console.log(withProxyName('Failed.', 'http://' + host));
      });`;
    const { out } = await runNode(process.execPath, ['-e', script], { HTTP_PROXY: 'http://127.0.0.1:9' });
    const used = 'Failed. The request used the proxy 127.0.0.1:9.';
    const names = ['localhost', 'api.localhost', '127.1.2.3', '[::1]'];
    const advised = names.map((name) => `${used} Set NO_PROXY=${name} to connect without it.`);
    expect(out.trim().split('\n')).toEqual([...advised, used]);
  });

  it('and ends a machine whose variable is wrong, which no wait can help', async () => {
    const options = ['--url', network.plainUrl, '--key-file', join(createTempFolder(), 'keys')];
    const env = network.through('socks5://ada:secret@127.0.0.1:9');
    const args = [findProgram('device'), 'machine', '--account', 'ada', ...options];
    const { out, err } = await runNode(process.execPath, args, env);
    expect(out).toBe('');
    expect(err).toMatch(/^error: .*HTTP_PROXY is not the URL of an HTTP proxy/);
  });

  it('when it never answers', async () => {
    proxy.isSilent = true;
    const { err } = await network.runDevice(process.execPath, 'signup', network.secureUrl, network.through(proxy.url));
    expect(err).toContain(
      `the proxy ${proxy.name} opened no connection to ${NAME}:${network.front.port} within 8 seconds`,
    );
  });
});
