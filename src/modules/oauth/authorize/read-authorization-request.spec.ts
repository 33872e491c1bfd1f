import { parseFormParameters } from '../http/form-parameters';
import { readAuthorizationRequest } from './read-authorization-request';

describe('an authorization request', () => {
  const challenge = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM';
  const good =
    'response_type=code&scope=sessions:read+usage:read' + `&code_challenge=${challenge}&code_challenge_method=S256`;
  const read = (query: string) => readAuthorizationRequest(parseFormParameters(query));
  const errorOf = (query: string) => (read(query) as { error?: string }).error;
  const without = (name: string) => good.replace(new RegExp(`${name}=[^&]*&?`), '');

  it('is its scopes and challenge', () => {
    expect(read(good)).toEqual({ scopes: ['sessions:read', 'usage:read'], codeChallenge: challenge });
  });

  it('means code and S256 where it does not say so, and minds nothing that it does not know', () => {
    const short = `scope=sessions:read&code_challenge=${challenge}`;
    expect(read(`${short}&prompt=none&prompt=login&resource=x`)).toEqual({
      scopes: ['sessions:read'],
      codeChallenge: challenge,
    });
  });

  it('names a scope once, however often it is asked for', () => {
    expect(read(good.replace('usage:read', 'sessions:read'))).toMatchObject({ scopes: ['sessions:read'] });
  });

  it.each(['token', 'code+token', 'id_token', 'none', 'CODE'])('of type %s is unsupported', (type) => {
    expect(errorOf(good.replace('=code&', `=${type}&`))).toBe('unsupported_response_type');
  });

  it.each([
    ['no challenge', without('code_challenge')],
    ['plain', good.replace('S256', 'plain')],
    ['s256 in small letters', good.replace('S256', 's256')],
    ['42 characters', good.replace(challenge, challenge.slice(1))],
    ['44 characters', good.replace(challenge, `${challenge}A`)],
    ['padding', good.replace(challenge, `${challenge.slice(1)}=`)],
    ['base64 instead of base64url', good.replace(challenge, `${challenge.slice(1)}%2B`)],
    ...['response_type', 'scope', 'state', 'code_challenge', 'code_challenge_method'].map((name) => [
      `a repeated ${name}`,
      `${good}&state=1&${name}=1`,
    ]),
  ])('with %s is invalid', (_, query) => {
    expect(errorOf(query)).toBe('invalid_request');
  });

  it.each([
    ['none', without('scope')],
    ['an empty one', good.replace('sessions:read+usage:read', '')],
    ['blanks', good.replace('sessions:read+usage:read', '++')],
    ['an unknown one among others', good.replace('usage:read', 'everything')],
    ['machines:invoke', good.replace('usage:read', 'machines:invoke')],
    ['machines:invoke:verified', good.replace('usage:read', 'machines:invoke:verified')],
    ['a name that every object has', good.replace('usage:read', 'constructor')],
  ])('for %s is an invalid scope, never less than was asked', (_, query) => {
    expect(errorOf(query)).toBe('invalid_scope');
  });

  it.each([
    ['session:read', 'There is no scope session:read.'],
    ['offline_access', 'There is no scope offline_access.'],
    ['constructor', 'There is no scope constructor.'],
    ['machines:invoke', 'No app may have the scope machines:invoke.'],
    ['sessions:approve', 'No app may have the scope sessions:approve.'],
    ['everything sessions:approve', 'There is no scope everything.'],
  ])('describes the refused scope of %s', (scope, text) => {
    const { description } = read(good.replace('usage:read', encodeURIComponent(scope))) as { description: string };
    expect(description).toContain(text);
  });

  it.each([
    'a"b',
    'a\\b',
    '<script>',
    'a\r\nLocation:x',
    'a\u202eb',
    'evil.example',
    'https://evil.example',
    'x'.repeat(41),
    'ä',
  ])('repeats no text that is not the form of a scope: %j', (scope) => {
    const { error, description } = read(good.replace('usage:read', encodeURIComponent(scope))) as {
      error: string;
      description: string;
    };
    expect(error).toBe('invalid_scope');
    expect(description).toMatch(/^scope has an unknown name\. /);
    // The characters that RFC 6749 §4.1.2.1 allows.
    expect(description).toMatch(/^[\x20\x21\x23-\x5b\x5d-\x7e]+$/);
    expect(description).not.toContain(scope);
  });
});
