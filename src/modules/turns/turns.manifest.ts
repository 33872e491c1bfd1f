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
      sample: { state: 'running', stopReason: null, usage: null, cost: null, endedAt: null },
      session: 'sessionId',
    },
    'turn.requires_action': {
      when: 'a turn waits for a decision on a permission request',
      label: 'An agent needs a decision',
      group: 'Turns',
      access: 'sessions:read',
      data: 'TurnDto',
      sample: { state: 'requires_action', stopReason: null, usage: null, cost: null, endedAt: null },
      session: 'sessionId',
    },
    'turn.ended': {
      when: 'a turn becomes `completed`, `failed`, `cancelled` or `lost`',
      label: 'A turn of an agent ends',
      group: 'Turns',
      access: 'sessions:read',
      data: 'TurnDto',
      sample: { state: 'completed', stopReason: 'end_turn', endedAt: 1_788_255_060_000 },
      session: 'sessionId',
    },
  },
  tables: {
    owned: ['turns'],
    read: ['device_presence', 'devices'],
  },
});
