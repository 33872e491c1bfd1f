import { findProxy, formatAuthority, isExcluded, parseProxy } from './proxy-settings';

const PROXY = 'http://proxy.example:3128';

describe('proxy variables', () => {
  it.each([
    ['https://svc.example', { HTTPS_PROXY: PROXY }, 'HTTPS_PROXY'],
    ['https://svc.example', { https_proxy: PROXY, HTTPS_PROXY: 'http://other:1' }, 'https_proxy'],
    ['https://svc.example', { https_proxy: '', HTTPS_PROXY: PROXY }, 'HTTPS_PROXY'],
    ['https://svc.example', { HTTPS_PROXY: ` ${PROXY}\n` }, 'HTTPS_PROXY'],
    ['http://svc.example', { HTTP_PROXY: PROXY, HTTPS_PROXY: 'http://other:1' }, 'HTTP_PROXY'],
    ['http://svc.example', { http_proxy: 'proxy.example:3128' }, 'http_proxy'],
    ['https://svc.example', { HTTPS_PROXY: PROXY, NO_PROXY: 'other.example' }, 'HTTPS_PROXY'],
    ['https://svc.example:444', { HTTPS_PROXY: PROXY, NO_PROXY: 'svc.example:443' }, 'HTTPS_PROXY'],
  ])('send requests to %s with %j through the proxy', (url, env, setting) => {
    expect(findProxy(url, env)).toMatchObject({ name: 'proxy.example:3128', setting, authorization: undefined });
  });

  it.each([
    ['https://svc.example', {}],
    ['https://svc.example', { HTTP_PROXY: PROXY, ALL_PROXY: PROXY }],
    ['http://svc.example', { HTTPS_PROXY: PROXY }],
    ['https://svc.example', { HTTPS_PROXY: ' ' }],
    ['https://svc.example', { HTTPS_PROXY: PROXY, NO_PROXY: 'svc.example:443' }],
    ['https://svc.example', { HTTPS_PROXY: PROXY, no_proxy: 'svc.example', NO_PROXY: 'other' }],
    ['https://[::1]:8443', { HTTPS_PROXY: PROXY, NO_PROXY: '::1' }],
    ['ftp://svc.example', { HTTPS_PROXY: PROXY, HTTP_PROXY: PROXY }],
  ])('send requests to %s with %j directly', (url, env) => {
    expect(findProxy(url, env)).toBeUndefined();
  });

  it.each([
    ['http://ada:p%40ss%3A@proxy.example', 'proxy.example:80', 'ada:p@ss:'],
    ['https://ada@[fd00::1]:3128/path', '[fd00::1]:3128', 'ada:'],
    ['ada:100%@proxy.example:8080', 'proxy.example:8080', 'ada:100%'],
    ['http://:p%C3%A4ss@proxy.example', 'proxy.example:80', ':päss'],
    ['https://proxy.example', 'proxy.example:443', null],
  ])('take the credentials of %s out of its name', (text, name, credentials) => {
    const proxy = parseProxy(text, 'HTTPS_PROXY');
    const authorization = credentials === null ? undefined : `Basic ${Buffer.from(credentials).toString('base64')}`;
    expect(proxy).toMatchObject({ name, authorization });
    expect(proxy.url.href).not.toContain('ada');
  });

  it.each([
    'socks5://ada:secret@proxy.example:1080',
    'http://ada:secret#1@proxy.example:3128',
    'http://ada:2024#1@proxy.example:3128',
    'http://ada:2024?1@proxy.example:3128',
    'http://ada:2024/1@proxy.example:3128',
    'http://ada:2024\\1@proxy.example:3128',
    'ada:2024#1@proxy.example:3128',
    'http://user:p@secret/word@proxy.example:3128',
    'http://ada@proxy.example:3128/path?secret',
    'http://',
    '://x',
  ])('refuse %s without its password', (text) => {
    const error = (() => {
      try {
        parseProxy(text, 'HTTPS_PROXY');
      } catch (thrown) {
        return thrown as Error;
      }
      return null;
    })();
    expect(error).toMatchObject({ code: 'ERR_PROXY_SETTING' });
    expect(error!.message).toContain('HTTPS_PROXY is not the URL of an HTTP proxy');
    expect(error!.message).not.toMatch(/secret|ada|2024/);
  });

  it.each([
    ['https://svc.example', 'svc.example:443'],
    ['http://svc.example/path', 'svc.example:80'],
    ['https://[::1]:8443', '[::1]:8443'],
  ])('name the host of %s as %s for CONNECT', (url, authority) => {
    expect(formatAuthority(url)).toBe(authority);
  });
});

describe('NO_PROXY', () => {
  it.each([
    ['corp.example', 'corp.example'],
    ['corp.example', 'api.corp.example'],
    ['.corp.example', 'api.corp.example'],
    ['.corp.example', 'corp.example'],
    ['*.corp.example', 'a.b.corp.example'],
    ['CORP.example', 'Api.corp.EXAMPLE'],
    ['corp.example.', 'api.corp.example'],
    ['corp.example', 'api.corp.example.'],
    ['localhost, corp.example', 'corp.example'],
    ['localhost corp.example', 'corp.example'],
    ['other.example,corp.example:8443', 'corp.example'],
    ['*', 'corp.example'],
    ['other.example,*', '::1'],
    ['127.0.0.1', '127.0.0.1'],
    ['127.0.0.1:8443', '127.0.0.1'],
    ['10.0.0.0/8', '10.1.2.3'],
    ['::1', '::1'],
    ['[::1]', '::1'],
    ['[::1]:8443', '::1'],
    ['0:0:0:0:0:0:0:1', '::1'],
    ['fd00::/8', 'fd12::1'],
  ])('%j excludes %j on port 8443', (noProxy, hostname) => {
    expect(isExcluded(noProxy, hostname, 8443)).toBe(true);
  });

  it.each([
    ['', 'corp.example'],
    ['corp.example', 'mycorp.example'],
    ['corp.example', 'corp.example.evil.test'],
    ['api.corp.example', 'corp.example'],
    ['corp.example:443', 'corp.example'],
    ['.', 'corp.example'],
    ['0.0.1', '127.0.0.1'],
    ['127.0.0.1:443', '127.0.0.1'],
    ['127.0.0.1', 'localhost'],
    ['10.0.0.0/8', '11.1.2.3'],
    ['10.0.0.0/', '10.1.2.3'],
    ['10.0.0.0/33', '10.1.2.3'],
    ['[::1]:443', '::1'],
    ['::1', '::2'],
    ['::/0', '10.1.2.3'],
  ])('%j does not exclude %j on port 8443', (noProxy, hostname) => {
    expect(isExcluded(noProxy, hostname, 8443)).toBe(false);
  });
});
