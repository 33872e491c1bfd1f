import { isRegisteredRedirectUri } from './match-redirect-uri';

describe('a redirect URI', () => {
  const web = ['https://app.example/callback?tenant=1'];

  it('matches byte for byte', () => {
    expect(isRegisteredRedirectUri(web[0]!, web)).toBe(true);
  });

  it.each([
    'https://app.example/callback',
    'https://app.example/callback?tenant=1&x=2',
    'https://app.example/callback?tenant=12',
    'https://app.example/callback/?tenant=1',
    'https://app.example/Callback?tenant=1',
    'https://APP.example/callback?tenant=1',
    'HTTPS://app.example/callback?tenant=1',
    'https://app.example:443/callback?tenant=1',
    'https://app.example:8443/callback?tenant=1',
    'https://app.example/x/../callback?tenant=1',
    'https://app.example/%63allback?tenant=1',
    'https://app.example/callback?tenant=1#',
    'https://user@app.example/callback?tenant=1',
    'https://app.example.evil.example/callback?tenant=1',
    'http://app.example/callback?tenant=1',
    ' https://app.example/callback?tenant=1',
    '',
  ])('is refused one step beside: %s', (uri) => {
    expect(isRegisteredRedirectUri(uri, web)).toBe(false);
  });

  it.each(['127.0.0.1', '[::1]', 'localhost'])('on http and %s may have any port (RFC 8252 §7.3)', (host) => {
    for (const registered of [`http://${host}/cb?x=1`, `http://${host}:8080/cb?x=1`]) {
      for (const port of ['', ':1', ':8080', ':65535']) {
        expect(isRegisteredRedirectUri(`http://${host}${port}/cb?x=1`, [registered])).toBe(true);
      }
      for (const port of [':', ':0', ':080', ':65536', ':8080a', ':80:80', ':-1', '@evil.example']) {
        expect(isRegisteredRedirectUri(`http://${host}${port}/cb?x=1`, [registered])).toBe(false);
      }
      for (const rest of ['/cb', '/cb/?x=1', '/CB?x=1', '/cb?x=2', '/a/../cb?x=1', '', '?x=1']) {
        expect(isRegisteredRedirectUri(`http://${host}:9${rest}`, [registered])).toBe(false);
      }
    }
  });

  it('has no free port anywhere else', () => {
    expect(isRegisteredRedirectUri('https://127.0.0.1:8443/cb', ['https://127.0.0.1/cb'])).toBe(false);
    expect(isRegisteredRedirectUri('http://127.0.0.2:80/cb', ['http://127.0.0.2/cb'])).toBe(false);
    expect(isRegisteredRedirectUri('http://localhost.evil.example:80/cb', ['http://localhost/cb'])).toBe(false);
    expect(isRegisteredRedirectUri('http://127x0y0z1:80/cb', ['http://127.0.0.1/cb'])).toBe(false);
  });

  it('of one loopback host is not that of another', () => {
    expect(isRegisteredRedirectUri('http://localhost:1/cb', ['http://127.0.0.1/cb'])).toBe(false);
    expect(isRegisteredRedirectUri('http://[::1]:1/cb', ['http://127.0.0.1/cb'])).toBe(false);
  });
});
