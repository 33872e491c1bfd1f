import { defineManifest } from '../../common/manifest';

export const queuedMessagesManifest = defineManifest({
  resources: { 'queued-messages': { noun: 'queued message', idPrefix: 'qmsg' } },
  events: {
    'queued_message.ended': {
      when: 'a queued message is delivered, or will never be',
      label: 'A queued message is delivered or ends undelivered',
      group: 'Queued messages',
      access: 'sessions:read',
      data: 'QueuedMessageDto',
      sample: { state: 'delivered' },
      session: 'sessionId',
    },
  },
  tables: {
    owned: ['queued_messages'],
    read: ['accounts', 'app_authorizations', 'developer_apps', 'devices', 'external_tokens', 'sessions'],
  },
});
