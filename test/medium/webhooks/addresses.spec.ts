import { createServer, type AddressInfo, type Server } from 'node:net';
import { DnsServer } from '../../support/webhooks/dns-server';
import { createSendingServices } from '../../support/webhooks/sending-services';

/** Hosts that resolve to a private network, in many notations. `PORT` is a listener on loopback. */
const FORBIDDEN = [
  '127.0.0.1:PORT',
  '2130706433:PORT',
  '0x7f.1:PORT',
  '0x7f000001:PORT',
  '0177.0.0.1:PORT',
  '017700000001:PORT',
  '127.1:PORT',
  '127.0.1:PORT',
  '127.0.0.1.:PORT',
  '127.127.127.127:PORT',
  '0:PORT',
  '0.0.0.0:PORT',
  '0.1.2.3:PORT',
  'localhost:PORT',
  'localhost.:PORT',
  'LOCALHOST:PORT',
  'foo.localhost:PORT',
  '①②⑦.⓪.⓪.①:PORT',
  '１２７.０.０.１:PORT',
  '127。0。0。1:PORT',
  '%31%32%37.0.0.1:PORT',
  'loc%61lhost:PORT',
  '[::1]:PORT',
  '[0:0:0:0:0:0:0:1]:PORT',
  '[::]:PORT',
  '[::ffff:7f00:1]:PORT',
  '[::ffff:127.0.0.1]:PORT',
  '[::ffff:0:127.0.0.1]:PORT',
  '[::127.0.0.1]:PORT',
  '[::7f00:1]:PORT',
  '[64:ff9b::7f00:1]:PORT',
  '[64:ff9b::a9fe:a9fe]',
  '[64:ff9b:1::a9fe:a9fe]',
  '[2002:7f00:1::]:PORT',
  '[2001:0:7f00:1::1]',
  '[fd00:ec2::254]',
  '[fe80::1]',
  '[fec0::1]',
  '[ff02::1]',
  '[2001:db8::1]',
  '[3fff::1]',
  '[5f00::1]',
  '[100::1]',
  '[::a9fe:a9fe]',
  '[::ffff:169.254.169.254]',
  '169.254.169.254',
  '0xa9fea9fe',
  '2852039166',
  '168.63.129.16',
  '0xa83f8110',
  '[::ffff:168.63.129.16]',
  '100.64.0.1',
  '100.100.100.200',
  '10.0.0.1',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.0.1',
  '192.0.0.192',
  '192.0.2.1',
  '198.18.0.1',
  '198.51.100.1',
  '203.0.113.1',
  '192.88.99.1',
  '224.0.0.1',
  '240.0.0.1',
  '255.255.255.255',
  'private.test:PORT',
  'mixed.test:PORT',
  'mixed6.test:PORT',
  'mapped.test:PORT',
  'metadata.test',
];
const PUBLIC = ['93.184.216.34', '8.8.8.8', '[2606:4700:4700::1111]', 'public.test', 'both.test', 'nowhere.test'];

describe('the target address of a webhook', () => {
  let names: DnsServer;
  let listener: Server;
  let connections = 0;
  let port: number;

  beforeAll(async () => {
    names = await DnsServer.start();
    for (const [name, addresses] of [
      ['private.test', ['127.0.0.1']],
      ['mixed.test', ['93.184.216.34', '127.0.0.1']],
      ['mixed6.test', ['2606:4700:4700::1111', '::1']],
      ['mapped.test', ['::ffff:127.0.0.1']],
      ['metadata.test', ['169.254.169.254']],
      ['public.test', ['93.184.216.34']],
      ['both.test', ['93.184.216.34', '2606:4700:4700::1111']],
    ] as [string, string[]][]) {
      names.addressesByName.set(name, addresses);
    }
    listener = createServer((socket) => {
      connections++;
      socket.destroy();
    });
    await new Promise<void>((resolve) => listener.listen(0, '::', resolve));
    port = (listener.address() as AddressInfo).port;
  });
  afterAll(() => {
    names.stop();
    listener.close();
  });
  const urlOf = (host: string, scheme = 'http') => `${scheme}://${host.replace('PORT', String(port))}/hook`;

  it.each(FORBIDDEN)('is refused at creation: %s', async (host) => {
    const { urls } = createSendingServices({}, names);
    expect(await urls.findViolation(urlOf(host))).toMatch(/must (resolve to public addresses only|be a URL)/);
    expect(await urls.findViolation(urlOf(host, 'https'))).toMatch(/must (resolve to public addresses only|be a URL)/);
  });

  it('is refused at delivery without a connection if it is not public', async () => {
    const { send } = createSendingServices({}, names);
    for (const scheme of ['http', 'https']) {
      const all = await Promise.all(FORBIDDEN.map((host) => send(urlOf(host, scheme))));
      const refused = all.map(({ error }, i) => [FORBIDDEN[i], error]);
      expect(refused.filter(([, error]) => error !== 'address_refused')).toEqual([]);
    }
    expect(connections).toBe(0);
  });

  it.each(PUBLIC)('is accepted: %s', async (host) => {
    expect(await createSendingServices({}, names).urls.findViolation(`https://${host}/`)).toBeNull();
  });

  it('is accepted in the ranges that the operator allows, and not beside them', async () => {
    const { urls, send } = createSendingServices({ WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8' }, names);
    expect(await urls.findViolation(urlOf('127.1:PORT'))).toBeNull();
    expect(await urls.findViolation(urlOf('private.test:PORT'))).toBeNull();
    expect(await urls.findViolation(urlOf('10.0.0.1'))).not.toBeNull();
    expect(await urls.findViolation(urlOf('[::1]:PORT'))).not.toBeNull();
    expect((await send(urlOf('private.test:PORT'))).error).toBe('connection_lost');
    expect((await send(urlOf('[::1]:PORT'))).error).toBe('address_refused');
    expect(connections).toBe(1);
  });

  it('is checked at each connection: a rebound name is refused', async () => {
    const { urls, send } = createSendingServices({}, names);
    names.addressesByName.set('rebound.test', ['93.184.216.34']);
    expect(await urls.findViolation(urlOf('rebound.test:PORT'))).toBeNull();
    names.addressesByName.set('rebound.test', ['127.0.0.1']);
    const before = connections;
    expect((await send(urlOf('rebound.test:PORT'))).error).toBe('address_refused');
    expect(connections).toBe(before);
  });

  it('is accepted on this computer in local development, and nowhere else in a private network', async () => {
    const { urls, send } = createSendingServices({ WEBHOOK_ALLOW_HTTP: '' }, names);
    const before = connections;
    for (const host of ['127.0.0.1:PORT', 'localhost:PORT']) {
      expect(await urls.findViolation(urlOf(host))).toBeNull();
      expect((await send(urlOf(host))).error).toBe('connection_lost');
    }
    expect(connections).toBe(before + 2);
    // http is for names that are always this computer: DNS may answer otherwise later.
    expect(await urls.findViolation(urlOf('private.test:PORT'))).toContain('WEBHOOK_ALLOW_HTTP');
    for (const host of ['0.0.0.0:PORT', '10.0.0.1', '169.254.169.254', '[fe80::1]']) {
      expect(await urls.findViolation(urlOf(host, 'https'))).toContain('WEBHOOK_ALLOW_CIDRS');
      expect((await send(urlOf(host))).error).toBe('address_refused');
    }
  });

  it('is resolved for other names while a name server doesn’t respond', async () => {
    names.addressesByName.set('silent.test', ['silent']);
    const { send } = createSendingServices({ WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8' }, names);
    const silent = Promise.all(Array.from({ length: 20 }, () => send(urlOf('silent.test:PORT'))));
    let isSettled = false;
    void silent.then(() => (isSettled = true));
    expect((await send(urlOf('private.test:PORT'))).error).toBe('connection_lost');
    expect(isSettled).toBe(false);
    for (const { error } of await silent) expect(error).toMatch(/name_not_resolved|timeout/);
  });

  it('requires https unless the operator allows http', async () => {
    const { urls } = createSendingServices({ WEBHOOK_ALLOW_HTTP: 'false' }, names);
    expect(await urls.findViolation('http://93.184.216.34/')).toBe('must use https');
    for (const url of ['file:///etc/passwd', 'gopher://93.184.216.34/', 'javascript:alert(1)', 'data:,x']) {
      expect(await urls.findViolation(url)).toBe('must use https');
    }
  });
});
