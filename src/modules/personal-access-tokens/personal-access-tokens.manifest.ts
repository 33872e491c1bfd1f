import { defineManifest } from '../../common/manifest';

export const personalAccessTokensManifest = defineManifest({
  resources: {
    tokens: {
      noun: 'token',
      idPrefix: 'tok',
      devicePermissions: {
        'tokens.manage': { account: 'any', machine: 'no', what: 'create, list, rotate and revoke access tokens' },
      },
    },
  },
  events: {
    'token.created': {
      when: 'a personal access token is created',
      label: 'A token is created',
      group: 'Tokens',
      access: 'no app',
      data: 'ExternalTokenDto',
    },
    'token.revoked': {
      when: 'a personal access token is revoked. `data` is its last state',
      label: 'A token is revoked',
      group: 'Tokens',
      access: 'no app',
      data: 'ExternalTokenDto',
      sample: { state: 'revoked' },
    },
    'token.expiring': {
      when: 'an active token expires in 7 days, and again in 1 day',
      label: 'A token expires in a week or tomorrow',
      group: 'Tokens',
      access: 'no app',
      data: 'ExternalTokenDto',
    },
  },
  tables: {
    owned: ['external_tokens', 'external_token_secrets'],
    read: ['accounts'],
  },
});
