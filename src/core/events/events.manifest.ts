import { defineManifest } from '../../common/manifest';

export const eventsManifest = defineManifest({
  idPrefixes: ['evt'],
  tables: {
    owned: ['webhook_outbox', 'webhook_outbox_batches', 'event_log'],
    read: ['webhooks'],
    written: {
      sessions: "the position of a session's last event: counted and logged by one statement for each event (0010)",
    },
  },
});
