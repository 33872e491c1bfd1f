import { defineManifest } from '../../common/manifest';

export const permissionRequestsManifest = defineManifest({
  resources: { 'permission-requests': { noun: 'permission request', idPrefix: 'perm' } },
  scopes: {
    'sessions:approve': {
      description: 'Approve what agents ask to do, which runs as the user of the machine',
      consent: 'Approve what your agents ask to do',
      caution: 'What it approves runs on the machine with all rights of the machine’s user.',
      group: 'Sessions',
      isPatOnly: true,
      reachesMachines: true,
    },
  },
  events: {
    'permission.requested': {
      when: 'a pending permission request is stored',
      label: 'An agent asks for permission',
      group: 'Approvals',
      access: 'sessions:read',
      data: 'PermissionRequestDto',
      sample: { state: 'pending', decidedAt: null, decidedBy: null },
      session: 'sessionId',
    },
    'permission.decided': {
      when: 'the state of a permission request is final',
      label: 'A permission request is decided',
      group: 'Approvals',
      access: 'sessions:read',
      data: 'PermissionRequestDto',
      sample: {
        state: 'allowed',
        decidedAt: 1_788_255_060_000,
        decidedBy: { tokenId: 'tok_01m7xsah51f6ctt8c84t8wbh7e', deviceId: null },
      },
      session: 'sessionId',
    },
  },
  tables: {
    owned: ['permission_requests'],
    read: ['sessions'],
  },
});
