import { findRedirectUriViolation } from './redirect-uri';

describe('a redirect URI to register', () => {
  it.each([
    'https://app.example/callback',
    'https://app.example',
    'https://app.example/',
    'https://app.example?x=1',
    'https://app.example/@ada?to=a@b',
    'https://app.example:8443/a/b?x=1&y=%20',
    'https://xn--bcher-kva.example/cb',
    'https://203.0.113.7/cb',
    'http://127.0.0.1/cb',
    'http://127.0.0.1:8080/cb',
    'http://[::1]/cb',
    'http://[::1]:8080/cb',
    'http://localhost/cb',
    'http://localhost:3000',
    'https://app.example/'.padEnd(2_000, 'a'),
  ])('may be %s', (uri) => {
    expect(findRedirectUriViolation(uri)).toBeNull();
  });

  it.each([
    ['', /absolute/],
    ['/callback', /absolute/],
    ['app.example/callback', /absolute/],
    ['//app.example/callback', /absolute/],
    ['javascript:alert(1)', /https/],
    ['JavaScript://app.example/%0aalert(1)', /https/],
    ['data:text/html,x', /https/],
    ['file:///etc/passwd', /https/],
    ['com.example.app:/callback', /https/],
    ['http://app.example/callback', /https/],
    ['http://127.0.0.2/cb', /https/],
    ['http://localhost.evil.example/cb', /https/],
    ['http://localhost@evil.example/cb', /https/],
    ['https://app.example/cb#fragment', /fragment/],
    ['https://app.example/cb#', /fragment/],
    ['https://user:pass@app.example/cb', /user/],
    ['https://user@app.example/cb', /user/],
    ['https://@app.example/cb', /user/],
    ['https://*.app.example/cb', /wildcard|absolute/],
    ['https://app.example/*', /wildcard/],
    ['https://app.example/cb?x=*', /wildcard/],
    ['https://app.example/a/../cb', /normal form/],
    ['https://app.example/a/%2e%2e/cb', /normal form/],
    ['https://APP.example/cb', /normal form/],
    ['https://app.example:443/cb', /normal form/],
    ['https://app.example\\cb', /normal form/],
    ['https://app.example/c b', /normal form/],
    ['https://app.example/cb\n', /normal form/],
    [' https://app.example/cb', /normal form/],
    ['https://bücher.example/cb', /normal form/],
    ['https:app.example/cb', /normal form/],
    ['https://x;frame-ancestors/cb', /host/],
    ['https://x,y.example/cb', /host/],
    ["https://x'y.example/cb", /host/],
    ['https://app..example/cb', /host/],
    ['https://app.example/'.padEnd(2_001, 'a'), /2000/],
  ])('must not be %j', (uri, reason) => {
    expect(findRedirectUriViolation(uri)).toMatch(reason);
  });
});
