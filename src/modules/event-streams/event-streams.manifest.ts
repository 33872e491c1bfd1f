import { defineManifest } from '../../common/manifest';

export const eventStreamsManifest = defineManifest({
  tables: {
    read: ['event_log', 'sessions'],
  },
});
