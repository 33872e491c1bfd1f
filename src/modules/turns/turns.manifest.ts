import { defineManifest } from '../../common/manifest';

export const turnsManifest = defineManifest({
  resources: { turns: { noun: 'turn', idPrefix: 'turn' } },
  events: {
    'turn.started': {
      when: 'a turn first runs, and when it runs again after it was lost',
      label: 'An agent starts a turn',
      group: 'Turns',
      access: 'sessions:read',
      data: 'TurnDto',
      session: 'sessionId',
    },
    'turn.requires_action': {
      when: 'a turn waits for a decision on a permission request',
      label: 'An agent needs a decision',
      group: 'Turns',
      access: 'sessions:read',
      data: 'TurnDto',
      session: 'sessionId',
    },
    'turn.ended': {
      when: 'a turn becomes `completed`, `failed`, `cancelled` or `lost`',
      label: 'A turn of an agent ends',
      group: 'Turns',
      access: 'sessions:read',
      data: 'TurnDto',
      session: 'sessionId',
    },
  },
  tables: {
    owned: ['turns'],
    read: ['device_presence', 'devices'],
  },
});
