import { createServer, type AddressInfo, type Socket } from 'node:net';
import { Logger } from '@nestjs/common';
import { CertificateAuthority } from '../../support/certificates';
import { describeWith } from '../../support/dependencies';
import { ForwardProxy } from '../../support/forward-proxy';
import { createScratchFolder } from '../../support/scratch-folder';
import { ServiceProcess } from '../../support/service-process';
import { createMigratedFolder } from '../../support/temp-folder';
import { waitFor } from '../../support/wait-for';
import { DnsServer } from '../../support/webhooks/dns-server';
import { createSendingServices } from '../../support/webhooks/sending-services';
import { createSelfSignedCertificate } from '../../support/webhooks/self-signed-certificate';
import { Subscriber } from '../../support/webhooks/webhook-fixture';
import { verifySignature, WebhookReceiver } from '../../support/webhooks/webhook-receiver';

const PASSWORD = 'p@ss-w0rd%';
const LOOPBACK = { WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8' };

describeWith('openssl')('deliveries through WEBHOOK_PROXY_URL', () => {
  let proxy: ForwardProxy;
  let names: DnsServer;
  let receiver: WebhookReceiver;
  let secureReceiver: WebhookReceiver;
  let certFile: string;
  const logged: string[] = [];

  beforeAll(async () => {
    names = await DnsServer.start();
    names.addressesByName.set('private.test', ['10.0.0.1']);
    names.addressesByName.set('public.test', ['93.184.216.34']);
    receiver = await WebhookReceiver.start();
    const { certFile: file, ...tls } = await createSelfSignedCertificate();
    certFile = file;
    secureReceiver = await WebhookReceiver.start(undefined, tls);
  });
  beforeEach(async () => {
    proxy = await ForwardProxy.start({ credentials: `ada:${PASSWORD}` });
    logged.length = 0;
    jest.spyOn(Logger.prototype, 'warn').mockImplementation((...line: unknown[]) => logged.push(JSON.stringify(line)));
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    await proxy.stop();
  });
  afterAll(async () => {
    for (const each of [receiver, secureReceiver, names]) await each?.stop();
  });

  async function send(url: string, env: NodeJS.ProcessEnv = {}) {
    const services = createSendingServices({ WEBHOOK_PROXY_URL: proxy.url, ...env }, names);
    try {
      return await services.send(url);
    } finally {
      await services.agent.destroy();
    }
  }
  const portOf = ({ url }: WebhookReceiver) => new URL(url).port;

  it('reach hosts that only the proxy can resolve, over http as well', async () => {
    const url = `http://hook.example.test:${portOf(receiver)}/hook`;
    expect(await send(url, LOOPBACK)).toMatchObject({ status: 204, error: null });
    expect(proxy.requests).toEqual([`CONNECT hook.example.test:${portOf(receiver)}`]);
    expect(receiver.received).toHaveLength(1);
  });

  it("verify the receiver's certificate inside of the tunnel", async () => {
    const url = `https://hook.example.test:${portOf(secureReceiver)}/hook`;
    expect(await send(url)).toMatchObject({ status: null, error: 'tls_failed' });
    expect(proxy.requests).toEqual([`CONNECT hook.example.test:${portOf(secureReceiver)}`]);
    expect(secureReceiver.received).toEqual([]);
  });

  it('use one tunnel for several requests, and no log line has the password', async () => {
    const env = { DATA_DIR: createMigratedFolder(), NODE_EXTRA_CA_CERTS: certFile, LOG_LEVEL: 'trace', ...LOOPBACK };
    const lines: string[] = [];
    const onLine = (line: string) => void lines.push(line);
    const service = await ServiceProcess.start({ ...env, WEBHOOK_PROXY_URL: proxy.url }, { onLine });
    const ada = await Subscriber.signUp(service.http);
    const { id, secret } = await ada.createWebhook(secureReceiver.url, ['session.created']);
    for (let count = 1; count <= 2; count++) {
      await ada.triggerEvent();
      verifySignature(secret, (await secureReceiver.waitForRequests(count)).at(-1)!);
      await waitFor(async () => {
        expect((await ada.listDeliveries(id)).map(({ state }) => state)).toEqual(Array(count).fill('delivered'));
      });
    }
    expect(proxy.requests).toEqual([`CONNECT 127.0.0.1:${portOf(secureReceiver)}`]);
    proxy.refusal = 407;
    proxy.cutTunnels();
    await ada.triggerEvent();
    // The first attempt may still use the tunnel that was cut.
    await waitFor(async () => {
      expect((await ada.listDeliveries(id))[0]!.attempts).toBeGreaterThan(0);
      const logged = lines.filter((line) => line.includes('webhook proxy failed'));
      if (logged.length === 0) await ada.triggerEvent();
      expect(logged).not.toHaveLength(0);
    }, 30_000);
    const { stdout, stderr } = await service.stop();
    expect(stdout).toContain('webhook proxy failed');
    for (const text of [PASSWORD, encodeURIComponent(PASSWORD), Buffer.from(`ada:${PASSWORD}`).toString('base64')])
      expect(stdout + stderr).not.toContain(text);
  });

  it.each(['http://127.0.0.1:9/', 'http://[::1]:9/', 'http://169.254.169.254/', 'http://private.test/'])(
    'are not sent to %s, of which the service knows that it is private',
    async (url) => {
      expect(await send(url)).toMatchObject({ status: null, error: 'address_refused' });
      expect(proxy.requests).toEqual([]);
    },
  );

  it('are sent by name, so that the rules of the proxy for names apply', async () => {
    proxy.refusal = 403;
    expect(await send('https://public.test/hook')).toMatchObject({ status: null, error: 'address_refused' });
    expect(proxy.requests).toEqual(['CONNECT public.test:443']);
    expect(logged).toEqual([]);
  });

  it('reach this computer directly on a service for this computer alone', async () => {
    const url = receiver.url.replace('127.0.0.1', 'localhost');
    expect(await send(url, { WEBHOOK_ALLOW_HTTP: '' })).toMatchObject({ status: 204 });
    expect(proxy.requests).toEqual([]);
  });

  it('fail with one log line a minute, without the password, if the proxy demands another one or is down', async () => {
    const wrong = proxy.url.replace(encodeURIComponent(PASSWORD), 'secret');
    const services = createSendingServices({ WEBHOOK_PROXY_URL: wrong }, names);
    for (let attempt = 0; attempt < 2; attempt++)
      expect(await services.send('https://public.test/')).toMatchObject({ status: null, error: 'connection_failed' });
    await services.agent.destroy();
    expect(logged).toHaveLength(1);
    expect(logged[0]).toContain('webhook proxy failed');
    expect(logged[0]).toContain(`the proxy ${proxy.name} rejects the user name and password in WEBHOOK_PROXY_URL`);
    const down = { WEBHOOK_PROXY_URL: `http://ada:secret@127.0.0.1:9` };
    expect(await send('https://public.test/', down)).toMatchObject({ status: null, error: 'connection_failed' });
    expect(logged).toHaveLength(2);
    expect(logged[1]).toContain('ERR_PROXY_UNREACHABLE');
    expect(logged.join()).not.toMatch(/secret|p@ss|p%40/);
  });

  it('time out without a log line if only the target is silent, and name a proxy that is silent itself', async () => {
    proxy.isSilent = true;
    // It accepts connections and never starts TLS.
    const sockets: Socket[] = [];
    const server = createServer((socket) => sockets.push(socket));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const name = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    const silent = { WEBHOOK_PROXY_URL: `https://${name}` };
    const [target, own] = await Promise.all([send('https://public.test/'), send('https://public.test/', silent)]);
    for (const socket of sockets) socket.destroy();
    server.close();
    expect(target).toMatchObject({ status: null, error: 'timeout' });
    expect(own).toMatchObject({ status: null, error: 'connection_failed' });
    expect(logged).toHaveLength(1);
    expect(logged[0]).toContain(`the proxy ${name} can't be reached within 8 seconds`);
  });

  it('reach a proxy over TLS, whose certificate must be trusted', async () => {
    const authority = new CertificateAuthority(createScratchFolder(), 'company');
    const tlsProxy = await ForwardProxy.start({ tls: authority.issueCertificate('proxy') });
    expect(await send('https://public.test/', { WEBHOOK_PROXY_URL: tlsProxy.url })).toMatchObject({
      status: null,
      error: 'connection_failed',
    });
    expect(tlsProxy.requests).toEqual([]);
    await tlsProxy.stop();
  });
});
