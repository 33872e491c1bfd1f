import { defineManifest } from '../../common/manifest';

export const accountsManifest = defineManifest({
  resources: {
    account: {
      noun: 'account',
      idPrefix: 'acc',
      devicePermissions: {
        'account.read': { account: 'any', machine: 'no', what: 'view the account' },
        'account.delete': { account: 'any', machine: 'no', what: 'export and delete the account' },
        'account.control': { account: 'any', machine: 'no', what: 'control agents and machines under `/v1/control`' },
      },
    },
  },
  scopes: {
    'profile:read': {
      description: 'Read account details',
      consent: 'See your username and when the account was created',
      group: 'Account',
    },
  },
  tables: {
    owned: ['accounts', 'event_usage', 'invitations'],
    read: ['developer_apps', 'devices', 'external_tokens', 'webhooks'],
  },
});
