import { defineManifest } from '../../common/manifest';

export const auditManifest = defineManifest({
  tables: {
    owned: ['audit_events'],
  },
});
