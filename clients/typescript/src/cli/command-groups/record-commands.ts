import type { CommandSpec } from '../command-line/command-spec.ts';
import { SESSION, MACHINE, LIMIT, KEY, TYPES } from './shared-options.ts';

const GROUP = 'Records and events';

export const recordCommands: CommandSpec[] = [
  {
    name: 'sessions',
    group: GROUP,
    summary: 'List sessions, show one, and read its messages',
    defaultSubcommand: 'list',
    subcommands: [
      {
        name: 'list',
        summary: 'List sessions, newest first',
        options: [
          { name: 'state', value: 'STATE', description: 'Only these', choices: ['active', 'ended'] },
          { name: 'machine', value: 'MACHINE', description: 'Only those of this machine' },
          LIMIT,
        ],
        load: async () => (await import('../commands/sessions.ts')).listSessions,
      },
      {
        name: 'show',
        summary: 'Show a session and its last turns',
        args: [SESSION],
        load: async () => (await import('../commands/sessions.ts')).showSession,
      },
      {
        name: 'messages',
        summary: 'Read the newest messages, oldest first',
        details: [
          'The text needs the scope sessions:content and a key grant. Without them, only times and roles are shown.',
        ],
        args: [SESSION],
        options: [LIMIT, { name: 'turn', value: 'TURN', description: 'Only those of this turn' }],
        load: async () => (await import('../commands/messages.ts')).listMessages,
      },
    ],
  },
  {
    name: 'machines',
    group: GROUP,
    summary: 'List machines, or show one',
    defaultSubcommand: 'list',
    subcommands: [
      {
        name: 'list',
        summary: 'List machines',
        options: [{ name: 'state', value: 'STATE', description: 'Only these', choices: ['online', 'offline'] }, LIMIT],
        load: async () => (await import('../commands/machines.ts')).listMachines,
      },
      {
        name: 'show',
        summary: 'Show a machine and its agents',
        args: [MACHINE],
        load: async () => (await import('../commands/machines.ts')).showMachine,
      },
    ],
  },
  {
    name: 'artifacts',
    group: GROUP,
    summary: 'List artifacts, show one, and print its content',
    defaultSubcommand: 'list',
    subcommands: [
      {
        name: 'list',
        summary: 'List artifacts, newest first',
        options: [{ name: 'session', value: 'SESSION', description: 'Only those of this session' }, LIMIT],
        load: async () => (await import('../commands/artifacts.ts')).listArtifacts,
      },
      {
        name: 'show',
        summary: 'Show an artifact',
        args: [{ name: 'ARTIFACT', description: 'ID of an artifact' }],
        load: async () => (await import('../commands/artifacts.ts')).showArtifact,
      },
      {
        name: 'content',
        summary: 'Print the content, byte for byte',
        args: [{ name: 'ARTIFACT', description: 'ID of an artifact' }],
        load: async () => (await import('../commands/artifacts.ts')).printContent,
      },
    ],
  },
  {
    name: 'watch',
    group: GROUP,
    summary: 'Print events of the account, or of a session, as they happen',
    args: [{ ...SESSION, isOptional: true }],
    options: [
      TYPES,
      { name: 'after', value: 'CURSOR', description: 'Begin after the event with this cursor, from --json' },
      { name: 'content', description: 'Print the text of messages, of a session that is shared with the token' },
      { name: 'progress', description: 'Print tool calls when they begin and plans as well; includes --content' },
    ],
    load: async () => (await import('../commands/watch.ts')).watch,
  },
  {
    name: 'webhooks',
    group: GROUP,
    summary: 'List, create and delete webhooks, and try them on this computer',
    defaultSubcommand: 'list',
    subcommands: [
      {
        name: 'list',
        summary: 'List webhooks',
        load: async () => (await import('../commands/webhooks.ts')).listWebhooks,
      },
      {
        name: 'create',
        summary: 'Create a webhook and print its signing secret, which is shown only once',
        args: [{ name: 'URL', description: 'where events are sent' }],
        options: [
          { name: 'events', value: 'TYPE,TYPE', description: 'Default: all', isRepeatable: true },
          { name: 'description', value: 'TEXT', description: 'What the webhook is for' },
          {
            name: 'format',
            value: 'FORMAT',
            description: 'The event, or a line with a link for Slack or ntfy. Default: standard',
            choices: ['standard', 'slack', 'ntfy'],
          },
          {
            name: 'header',
            value: 'NAME=VALUE',
            description:
              'A header that requests also have. NAME=@FILE reads the value from a file, NAME=@- from standard input, so that no other user of this computer sees it. A value that begins with @ is written with @@',
            isRepeatable: true,
          },
          KEY,
        ],
        load: async () => (await import('../commands/webhooks.ts')).createWebhook,
      },
      {
        name: 'delete',
        summary: 'Delete a webhook and its pending deliveries',
        args: [{ name: 'WEBHOOK', description: 'ID of a webhook' }],
        load: async () => (await import('../commands/webhooks.ts')).deleteWebhook,
      },
      {
        name: 'listen',
        summary: 'Forward events to a server on this computer',
        details: [
          'Reads the event stream and sends each event in the form of a real delivery, signed with a secret that is made for this run and printed. No webhook is created. An event is sent once; failures are shown and not repeated.',
        ],
        options: [
          { name: 'forward', value: 'URL', description: 'Your server, such as http://localhost:4000/hooks' },
          TYPES,
        ],
        examples: ['xapi webhooks listen --forward http://localhost:4000/hooks --types turn.ended'],
        load: async () => (await import('../commands/listen.ts')).listen,
      },
    ],
  },
];
