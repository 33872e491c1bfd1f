import { defineManifest } from '../../common/manifest';

export const deviceGatewayManifest = defineManifest({
  tables: {
    owned: ['device_presence', 'machine_state_changes'],
    read: ['accounts', 'device_revocations', 'devices', 'instances', 'machines'],
    written: {
      devices: 'columns from which the previous release reads presence; the next one drops them (0057)',
      machines: 'the same',
    },
  },
});
