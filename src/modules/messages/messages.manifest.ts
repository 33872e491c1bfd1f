import { defineManifest } from '../../common/manifest';

export const messagesManifest = defineManifest({
  resources: { messages: { noun: 'message', idPrefix: 'msg' } },
  events: {
    'message.created': {
      when: 'a message is stored in a session, once for each message. Imported messages cause none',
      label: 'A message is created',
      group: 'Sessions',
      access: 'sessions:read',
      data: 'MessageDto',
      session: 'sessionId',
    },
  },
  tables: {
    owned: ['messages'],
    read: ['sessions'],
  },
});
