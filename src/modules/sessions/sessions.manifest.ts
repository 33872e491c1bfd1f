import { defineManifest } from '../../common/manifest';

export const sessionsManifest = defineManifest({
  resources: {
    sessions: {
      noun: 'session',
      idPrefix: 'ses',
      tag: {
        name: 'Sessions',
        description: 'Coding-agent sessions and the messages in them. Metadata only: history is end-to-end encrypted.',
      },
      devicePermissions: {
        'sessions.write': { account: 'any', machine: 'hosted', what: 'create, change, end and delete sessions' },
        'sessions.read': { account: 'any', machine: 'hosted', what: 'read sessions and messages' },
      },
    },
  },
  scopes: {
    'sessions:read': {
      description: 'List sessions, turns and permission requests, and message metadata',
      consent: 'See your sessions, and who sent messages and when',
      caution: 'Not the content of the messages.',
      group: 'Sessions',
    },
    'sessions:write': {
      description: 'Send messages to coding agents, which may act on machines, and stop their turns',
      consent: 'Send messages to your coding agents, which may act on your machines, and stop their turns',
      caution: 'The agents may run commands on your machines in response.',
      group: 'Sessions',
      reachesMachines: true,
    },
    'sessions:content': {
      description: 'Read the content of messages and permission requests, and titles, where a key grant exists',
      consent: 'Read the titles and messages of sessions you share with it, and what agents ask there',
      caution: 'Only where one of your devices has granted the key.',
      group: 'Sessions',
    },
  },
  events: {
    'session.created': {
      when: 'a session is created',
      label: 'A session is created',
      group: 'Sessions',
      access: 'sessions:read',
      data: 'SessionDto',
      sample: { state: 'active', endedAt: null },
      session: 'id',
    },
    'session.updated': {
      when: "a session's metadata or agent changes, or an ended session becomes active",
      label: 'A session is updated',
      group: 'Sessions',
      access: 'sessions:read',
      data: 'SessionDto',
      session: 'id',
    },
    'session.ended': {
      when: 'a session ends',
      label: 'A session ends',
      group: 'Sessions',
      access: 'sessions:read',
      data: 'SessionDto',
      sample: { state: 'ended', endedAt: 1_788_255_060_000 },
      session: 'id',
    },
    'session.deleted': {
      when: 'a session is deleted. `data` is its last state',
      label: 'A session is deleted',
      group: 'Sessions',
      access: 'sessions:read',
      data: 'SessionDto',
      session: 'id',
    },
  },
  tables: {
    owned: ['sessions'],
  },
});
