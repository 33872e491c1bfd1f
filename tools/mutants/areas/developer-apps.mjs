const MANAGEMENT = 'e2e-embedded test/e2e/oauth/apps/app-management.spec.ts';
const REVOCATION = 'e2e-embedded test/e2e/oauth/apps/access-revocation.spec.ts';
const SECRETS = 'e2e-embedded test/e2e/oauth/apps/secrets.spec.ts';
const SECRETS_FILE = 'src/modules/developer-apps/app-secrets.repository.ts';
const SECRETS_SERVICE_FILE = 'src/modules/developer-apps/app-secrets.service.ts';

/** Apps of developers: their secrets, their limit, and what people have authorized. */
export default [
  {
    id: 'DA1',
    breaks: 'A secret that expires soon lives longer when another one is added.',
    file: SECRETS_FILE,
    find: 'least(expires_at, $2)',
    replace: '$2',
    suites: [SECRETS],
  },
  {
    id: 'DA2',
    breaks: 'Expired secrets count, so that no new one can be added.',
    file: SECRETS_FILE,
    find: 'app_id = $1 AND (expires_at IS NULL OR expires_at > $2)',
    replace: 'app_id = $1 AND $2::timestamptz IS NOT NULL',
    suites: [SECRETS],
  },
  {
    id: 'DA3',
    breaks: 'The last secret of an app can be deleted, after which it can not authenticate.',
    file: SECRETS_SERVICE_FILE,
    find: 'if (liveIds.length === 1)',
    replace: 'if (liveIds.length === 0)',
    suites: [SECRETS],
  },
  {
    id: 'DA4',
    breaks: 'A developer can delete a secret of any app by its id.',
    file: SECRETS_SERVICE_FILE,
    find: "if (!liveIds.includes(id)) throw notFoundError('secret');",
    replace: '',
    suites: [SECRETS],
  },
  {
    id: 'DA5',
    breaks: 'The time of the last update of an app stays when a secret is deleted.',
    file: SECRETS_SERVICE_FILE,
    find: 'await this.secrets.delete(id);\n    await this.apps.update(appId, {}, now);',
    replace: 'await this.secrets.delete(id);',
    suites: [SECRETS],
  },
  {
    id: 'DA6',
    breaks: 'An account can register one app more than its plan allows.',
    file: 'src/modules/developer-apps/developer-apps.service.ts',
    find: '(await this.apps.countByAccount(accountId)) >= limit',
    replace: '(await this.apps.countByAccount(accountId)) > limit',
    suites: [MANAGEMENT],
  },
  {
    id: 'DA7',
    breaks: 'A description that was cleared is an empty text in place of null.',
    file: 'src/modules/developer-apps/developer-apps.service.ts',
    find: '{ description: description || null }',
    replace: '{ description }',
    suites: [MANAGEMENT],
  },
  {
    id: 'DA8',
    breaks: 'A second consent takes the scopes of the first one away.',
    file: 'src/modules/developer-apps/authorizations/app-authorizations.repository.ts',
    find: 'z.scopes || ARRAY(SELECT unnest(excluded.scopes) EXCEPT SELECT unnest(z.scopes))',
    replace: 'excluded.scopes',
    suites: [REVOCATION],
  },
  {
    id: 'DA9',
    breaks: 'The export of an account has no authorized apps.',
    file: 'src/modules/developer-apps/authorizations/authorized-apps.service.ts',
    find: 'this.authorizationsRepository.scanByAccount(accountId)',
    replace: "this.authorizationsRepository.scanByAccount('')",
    suites: [REVOCATION],
  },
  {
    id: 'DA10',
    breaks: 'An app gets more secrets at once than it may have, or loses its last one.',
    file: 'src/modules/developer-apps/developer-apps.repository.ts',
    find: 'AND id = $2 FOR UPDATE',
    replace: 'AND id = $2',
    suites: ['medium test/medium/postgres/races.spec.ts'],
  },
  {
    id: 'DA11',
    breaks: 'The developer of a suspended app is not told why it stopped.',
    file: 'src/web/console/apps/app-page.tsx',
    find: "{app.state === 'suspended' && (",
    replace: "{app.clientId === '' && (",
    suites: ['e2e-embedded test/e2e/console/apps.spec.ts'],
  },
  {
    id: 'DA12',
    breaks: 'A redirect URI of the length that is documented is refused.',
    file: 'src/modules/developer-apps/redirect-uri.ts',
    find: 'if (uri.length > MAX_REDIRECT_URI_LENGTH)',
    replace: 'if (uri.length >= MAX_REDIRECT_URI_LENGTH)',
    suites: ['unit src/modules/developer-apps/redirect-uri.spec.ts'],
  },
];
