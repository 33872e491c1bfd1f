import { defineManifest } from '../../common/manifest';

export const invocationsManifest = defineManifest({
  resources: {
    invocations: {
      noun: 'invocation',
      idPrefix: 'inv',
      devicePermissions: {
        'invocations.report': { account: 'no', machine: 'own', what: 'report and list the invocations of a machine' },
      },
    },
  },
  events: {
    'invocation.ended': {
      when: 'an invocation enters a final state or becomes `lost`',
      label: 'A long-running command ends',
      group: 'Long-running commands',
      access: 'machines:invoke',
      data: 'InvocationDto',
      sample: { state: 'completed', exitCode: 0 },
    },
  },
  tables: {
    owned: ['invocations'],
    read: ['device_presence', 'devices'],
  },
});
