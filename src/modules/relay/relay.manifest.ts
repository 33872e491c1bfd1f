import { defineManifest } from '../../common/manifest';

export const relayManifest = defineManifest({
  resources: {
    'relay-calls': {
      noun: 'relayed call',
      idPrefix: 'req',
      devicePermissions: {
        'relay-calls.read': { account: 'any', machine: 'no', what: 'look up relayed calls' },
      },
    },
  },
  events: {
    'relay.completed': {
      when: 'a call of a token or an app that was relayed to a device succeeds',
      label: 'A call of a token or an app to a device completes',
      group: 'Calls',
      access: 'no app',
      data: 'RelayEventDto',
    },
    'relay.failed': {
      when: 'a call of a token or an app that was relayed to a device fails',
      label: 'A call of a token or an app to a device fails',
      group: 'Calls',
      access: 'no app',
      data: 'RelayEventDto',
      sample: { outcome: 'unknown', durationMs: 30_000 },
    },
  },
  tables: {
    owned: ['relay_calls'],
    read: ['accounts', 'developer_apps', 'devices', 'external_tokens', 'sessions'],
  },
});
