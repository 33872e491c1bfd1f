import { defineManifest } from '../../common/manifest';

export const webhooksManifest = defineManifest({
  resources: {
    webhooks: {
      noun: 'webhook',
      idPrefix: 'whk',
      tag: { name: 'Webhooks', description: 'Events of the account, delivered to a URL as signed HTTP requests.' },
      devicePermissions: {
        'webhooks.manage': { account: 'any', machine: 'no', what: 'view and manage webhooks and their deliveries' },
      },
    },
  },
  idPrefixes: ['dlv', 'sec'],
  scopes: {
    'webhooks:manage': {
      description: 'Create and revoke webhook subscriptions',
      consent: 'Send your account’s events to URLs of its choice',
      group: 'Webhooks',
    },
  },
  events: {
    'webhook.disabled': {
      when: 'the service disables a webhook. It is not sent to that webhook',
      label: 'A webhook is disabled because of its failures',
      group: 'Webhooks',
      access: 'no app',
      data: 'WebhookDto',
      sample: { state: 'disabled', disabledReason: 'too_many_pending' },
    },
    'webhook.test': {
      when: 'a test of the webhook is requested, whatever it subscribes to',
      label: 'A test event',
      access: null,
      data: 'WebhookDto',
    },
  },
  tables: {
    owned: [
      'webhooks',
      'webhook_deliveries',
      'webhook_attempts',
      'webhook_endpoint_queues',
      'webhook_backlog_batches',
      'webhook_backlog_entries',
      'webhook_cleanup_queue',
      'webhook_lanes',
      'webhook_remains',
    ],
    read: ['webhook_outbox', 'webhook_outbox_batches'],
  },
});
