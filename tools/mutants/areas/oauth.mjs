const CODE = 'e2e-embedded test/e2e/oauth/token/code.spec.ts';
const REFRESH = 'e2e-embedded test/e2e/oauth/token/refresh.spec.ts';
const CODE_HANDLER = 'src/modules/oauth/endpoints/authorization-code-grant-handler.ts';
const REFRESH_HANDLER = 'src/modules/oauth/endpoints/refresh-token-grant-handler.ts';
const REDIRECT_URI = 'unit src/modules/oauth/authorize/match-redirect-uri.spec.ts';

/** The OAuth 2.0 authorization server. */
export default [
  {
    id: 'O1',
    breaks: 'Any code verifier matches.',
    file: 'src/modules/oauth/tokens/pkce.ts',
    find: 'timingSafeEqual(Buffer.from(computedChallenge), Buffer.from(challenge))',
    replace: 'true',
    suites: ['unit src/modules/oauth/tokens/pkce.spec.ts'],
  },
  {
    id: 'O2',
    breaks: 'The tokens of a code that is used again stay valid.',
    file: CODE_HANDLER,
    find: 'return this.revokeReplayedCodeTokens(clientId, hash);',
    replace: 'return createUnusableCodeError();',
    suites: [CODE],
  },
  {
    id: 'O3',
    breaks: 'A redirect URI matches if it begins with a registered one.',
    file: 'src/modules/oauth/authorize/match-redirect-uri.ts',
    find: 'registered.includes(uri)',
    replace: 'registered.some((each) => uri.startsWith(each))',
    suites: [REDIRECT_URI],
  },
  {
    id: 'O4',
    breaks: 'A loopback redirect URI may have any path.',
    file: 'src/modules/oauth/authorize/match-redirect-uri.ts',
    find: '`http://${host}${rest}`',
    replace: '`http://${host}`',
    suites: [REDIRECT_URI],
  },
  {
    id: 'O5',
    breaks: 'A stolen refresh token stays usable after it was used twice.',
    file: REFRESH_HANDLER,
    find: 'await this.families.revokeByRefreshToken(clientId, hash, now);',
    replace: '',
    suites: [REFRESH],
  },
  {
    id: 'O6',
    breaks: 'A refresh token may be used again for ten minutes without consequences.',
    file: REFRESH_HANDLER,
    find: '10 * SECOND',
    replace: '600 * SECOND',
    suites: [REFRESH],
  },
  {
    id: 'O7',
    breaks: 'A client exchanges the code of another one.',
    file: 'src/modules/oauth/tokens/authorization-codes.repository.ts',
    find: 'AND z.app_id = $2 FOR KEY SHARE',
    replace: 'AND $2::text IS NOT NULL FOR KEY SHARE',
    suites: [CODE],
  },
  {
    id: 'O8',
    breaks: 'A client revokes the tokens of another one.',
    file: 'src/modules/oauth/tokens/access-tokens.repository.ts',
    find: 'AND z.app_id = $2 RETURNING',
    replace: 'AND $2::text IS NOT NULL RETURNING',
    suites: ['e2e-embedded test/e2e/oauth/revoke.spec.ts'],
  },
  {
    id: 'O9',
    breaks: 'A code is exchanged under another redirect URI than it was issued for.',
    file: CODE_HANDLER,
    find: 'if (code.redirect_uri !== redirectUri)',
    replace: 'if (false)',
    suites: [CODE],
  },
  {
    id: 'O10',
    breaks: 'A code never expires.',
    file: CODE_HANDLER,
    find: 'if (code.expires_at.getTime() <= this.clock.now())',
    replace: 'if (false)',
    suites: [CODE],
  },
  {
    id: 'O11',
    breaks: 'A refresh with scopes that were never granted succeeds.',
    file: REFRESH_HANDLER,
    find: 'names.length > 0 && scopes.length === names.length ? scopes : null',
    replace: 'names.length > 0 ? scopes : null',
    suites: [REFRESH],
  },
  {
    id: 'O12',
    breaks: 'A client may authenticate by two methods at once.',
    file: 'src/modules/oauth/clients/client-authentication.service.ts',
    find: 'if (secret !== null) throw',
    replace: 'if (false) throw',
    suites: ['unit src/modules/oauth/clients/client-authentication.service.spec.ts'],
  },
  {
    id: 'O13',
    breaks: 'An app may choose the PKCE method “plain”.',
    file: 'src/modules/oauth/authorize/read-authorization-request.ts',
    find: "?? 'S256') !== 'S256'",
    replace: "?? 'S256') === ''",
    suites: ['unit src/modules/oauth/authorize/read-authorization-request.spec.ts'],
  },
];
