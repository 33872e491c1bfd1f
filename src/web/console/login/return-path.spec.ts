import { sanitizeReturnPath, buildSignInPath } from './return-path';

describe('where a sign-in leads', () => {
  it.each(['/console', '/console/tokens', '/console/consent/abc?x=1&y=%2F'])('is %s as asked for', (path) => {
    expect(sanitizeReturnPath(path)).toBe(path);
  });

  it.each([
    undefined,
    '',
    'console',
    'https://evil.example/console',
    '//evil.example/console',
    '///evil.example',
    '/\\evil.example',
    '/console/..//evil.example',
    '/console/%2e%2e//evil.example',
    '/console//evil.example',
    '/\t/evil.example',
    '/console\n',
    'javascript:alert(1)',
    '/consoles',
    '/docs',
    '/external/v1/me',
    '/console/../docs',
  ])('is never %j', (path) => {
    expect(sanitizeReturnPath(path)).toBe('/console');
  });

  it('survives the way through the sign-in page', () => {
    const path = '/console/consent/abc?x=1&y=2';
    const query = new URL(buildSignInPath(path), 'http://here.invalid').searchParams;
    expect(query.get('return')).toBe(path);
    expect(buildSignInPath('/console')).toBe('/console/sign-in');
  });
});
