import { defineManifest } from '../../common/manifest';

export const eventsManifest = defineManifest({
  idPrefixes: ['evt'],
  tables: {
    owned: ['webhook_outbox', 'event_log'],
    read: ['webhooks'],
    written: ['sessions'],
  },
});
