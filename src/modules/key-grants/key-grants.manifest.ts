import { defineManifest } from '../../common/manifest';

export const keyGrantsManifest = defineManifest({
  resources: {
    'key-grants': {
      noun: 'grant',
      idPrefix: 'grt',
      devicePermissions: {
        'key-grants.manage': { account: 'any', machine: 'hosted', what: 'grant callers the keys of content' },
      },
    },
  },
  events: {
    'key_grant.created': {
      when: 'a device grants the key of a session or an artifact',
      label: 'A key to a session is granted',
      group: 'Keys',
      access: 'no app',
      data: 'KeyGrantDto',
    },
    'key_grant.revoked': {
      when: 'a key grant is revoked. `data` is its last state',
      label: 'A key grant is revoked',
      group: 'Keys',
      access: 'no app',
      data: 'KeyGrantDto',
    },
  },
  tables: {
    owned: ['key_grants'],
    read: ['artifacts', 'external_tokens', 'sessions'],
  },
});
