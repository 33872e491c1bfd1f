import { defineManifest } from '../../common/manifest';

export const devicesManifest = defineManifest({
  resources: {
    devices: {
      noun: 'device',
      idPrefix: 'dev',
      devicePermissions: {
        'devices.manage': { account: 'any', machine: 'no', what: 'approve, list and revoke devices' },
      },
    },
  },
  idPrefixes: ['pair'],
  tables: {
    owned: ['devices', 'device_tokens', 'pairings', 'device_revocations', 'used_challenges'],
    read: ['accounts', 'device_presence'],
  },
});
