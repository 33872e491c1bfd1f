import { createServer, type Server } from 'node:net';
import type { AddressInfo } from 'node:net';
import { NameServer } from '../../support/webhooks/name-server';
import { sending } from '../../support/webhooks/sending';

/** Hosts that lead into somebody's own network, by whatever spelling; `PORT` is a listener on loopback. */
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

describe('where webhooks go', () => {
  let names: NameServer;
  let listener: Server;
  let connections = 0;
  let port: number;

  beforeAll(async () => {
    names = await NameServer.start();
    for (const [name, addresses] of [
      ['private.test', ['127.0.0.1']],
      ['mixed.test', ['93.184.216.34', '127.0.0.1']],
      ['mixed6.test', ['2606:4700:4700::1111', '::1']],
      ['mapped.test', ['::ffff:127.0.0.1']],
      ['metadata.test', ['169.254.169.254']],
      ['public.test', ['93.184.216.34']],
      ['both.test', ['93.184.216.34', '2606:4700:4700::1111']],
    ] as [string, string[]][]) {
      names.names.set(name, addresses);
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

  it.each(FORBIDDEN)('is not %s: refused at creation', async (host) => {
    const { urls } = sending({}, names);
    expect(await urls.faultOf(urlOf(host))).toMatch(/must (lead to public addresses alone|be a URL)/);
    expect(await urls.faultOf(urlOf(host, 'https'))).toMatch(/must (lead to public addresses alone|be a URL)/);
  });

  it('is none of them: refused at delivery, and nobody is connected to', async () => {
    const { send } = sending({}, names);
    for (const scheme of ['http', 'https']) {
      const all = await Promise.all(FORBIDDEN.map((host) => send(urlOf(host, scheme))));
      const refused = all.map(({ error }, i) => [FORBIDDEN[i], error]);
      expect(refused.filter(([, error]) => error !== 'address_refused')).toEqual([]);
    }
    expect(connections).toBe(0);
  });

  it.each(PUBLIC)('may be %s', async (host) => {
    expect(await sending({}, names).urls.faultOf(`https://${host}/`)).toBeNull();
  });

  it('may be what the operator allows, and nothing beside it', async () => {
    const { urls, send } = sending({ WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8' }, names);
    expect(await urls.faultOf(urlOf('127.1:PORT'))).toBeNull();
    expect(await urls.faultOf(urlOf('private.test:PORT'))).toBeNull();
    expect(await urls.faultOf(urlOf('10.0.0.1'))).not.toBeNull();
    expect(await urls.faultOf(urlOf('[::1]:PORT'))).not.toBeNull();
    expect((await send(urlOf('private.test:PORT'))).error).toBe('connection_lost');
    expect((await send(urlOf('[::1]:PORT'))).error).toBe('address_refused');
    expect(connections).toBe(1);
  });

  it('is judged anew at each connection: a name that was rebound leads nowhere', async () => {
    const { urls, send } = sending({}, names);
    names.names.set('rebound.test', ['93.184.216.34']);
    expect(await urls.faultOf(urlOf('rebound.test:PORT'))).toBeNull();
    names.names.set('rebound.test', ['127.0.0.1']);
    const before = connections;
    expect((await send(urlOf('rebound.test:PORT'))).error).toBe('address_refused');
    expect(connections).toBe(before);
  });

  it('is not waited for where a name server is silent, and others are looked up meanwhile', async () => {
    names.names.set('silent.test', ['silent']);
    const { send } = sending({ WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8' }, names);
    const silent = Promise.all(Array.from({ length: 20 }, () => send(urlOf('silent.test:PORT'))));
    let ended = false;
    void silent.then(() => (ended = true));
    expect((await send(urlOf('private.test:PORT'))).error).toBe('connection_lost');
    expect(ended).toBe(false);
    for (const { error } of await silent) expect(error).toMatch(/name_not_resolved|timeout/);
  });

  it('is https, unless the operator says otherwise', async () => {
    const { urls } = sending({ WEBHOOK_ALLOW_HTTP: 'false' }, names);
    expect(await urls.faultOf('http://93.184.216.34/')).toBe('must use https');
    for (const url of ['file:///etc/passwd', 'gopher://93.184.216.34/', 'javascript:alert(1)', 'data:,x']) {
      expect(await urls.faultOf(url)).toBe('must use https');
    }
  });
});
