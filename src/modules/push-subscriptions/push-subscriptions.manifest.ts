import { defineManifest } from '../../common/manifest';

export const pushSubscriptionsManifest = defineManifest({
  resources: {
    'push-subscriptions': {
      noun: 'push subscription',
      idPrefix: 'push',
      tag: {
        name: 'Notifications',
        description: 'Browsers that get notifications while no page is open, by Web Push (RFC 8030).',
      },
      devicePermissions: {
        'push-subscriptions.manage': {
          account: 'any',
          machine: 'no',
          what: 'turn notifications of browsers on and off',
        },
      },
    },
  },
  tables: { owned: ['push_subscriptions', 'push_notices'] },
});
