import { defineManifest } from '../../common/manifest';

export const auditEventsManifest = defineManifest({
  resources: {
    'audit-events': {
      noun: 'audit event',
      idPrefix: 'aud',
      devicePermissions: {
        'audit-events.read': { account: 'any', machine: 'no', what: 'read the audit trail of the account' },
      },
    },
  },
  tables: {
    read: ['audit_events', 'developer_apps', 'devices', 'external_tokens'],
  },
});
