import { defineManifest } from '../../common/manifest';

export const developerAppsManifest = defineManifest({
  resources: {
    apps: {
      noun: 'app',
      devicePermissions: {
        'apps.manage': { account: 'any', machine: 'no', what: 'register, change and delete third-party apps' },
      },
    },
    'authorized-apps': {
      noun: 'authorized app',
      idPrefix: 'aut',
      devicePermissions: {
        'authorized-apps.manage': {
          account: 'any',
          machine: 'no',
          what: 'list authorized apps and revoke their access',
        },
      },
    },
  },
  tables: {
    owned: ['developer_apps', 'developer_app_secrets', 'app_authorizations'],
    read: ['accounts'],
  },
});
