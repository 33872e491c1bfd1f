import { defineManifest } from '../../common/manifest';

export const machinesManifest = defineManifest({
  resources: {
    machines: {
      noun: 'machine',
      idPrefix: 'mch',
      tag: { name: 'Machines', description: 'Machines of the account and the commands that run on them.' },
      devicePermissions: {
        'machines.register': { account: 'no', machine: 'own', what: 'register a machine and answer `machine.invoke`' },
      },
    },
  },
  scopes: {
    'machines:read': {
      description: 'List machines and their state',
      consent: 'See your machines and whether they are online',
      group: 'Machines',
    },
    'machines:invoke': {
      description: 'Run commands and start sessions on machines',
      consent: 'Run commands and start sessions on your machines',
      caution: 'It can do anything on the machine that the machine’s user can do.',
      group: 'Machines',
      isPatOnly: true,
      reachesMachines: true,
    },
    'machines:invoke:verified': {
      description: 'Reserved; grants no access yet',
      consent: 'Reserved for later use; allows nothing yet',
      isPatOnly: true,
      reachesMachines: true,
    },
  },
  events: {
    'machine.registered': {
      when: 'a machine is registered',
      label: 'A machine joins the account',
      group: 'Machines',
      access: 'machines:read',
      data: 'MachineDto',
    },
    'machine.online': {
      when: 'a machine has been online for 5 seconds',
      label: 'A machine is online',
      group: 'Machines',
      access: 'machines:read',
      data: 'MachineDto',
      sample: { state: 'online' },
    },
    'machine.offline': {
      when: 'a machine has been offline for 5 seconds',
      label: 'A machine is offline',
      group: 'Machines',
      access: 'machines:read',
      data: 'MachineDto',
      sample: { state: 'offline' },
    },
  },
  tables: {
    owned: ['machines'],
    read: ['device_presence', 'devices'],
  },
});
