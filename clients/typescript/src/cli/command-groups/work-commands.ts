import type { CommandSpec } from '../command-line/command-spec.ts';
import { FILE, SESSION, MACHINE, KEY, LIMIT, WAIT_LIMIT } from './shared-options.ts';

const GROUP = 'Agents and machines';

export const workCommands: CommandSpec[] = [
  {
    name: 'start',
    group: GROUP,
    summary: 'Start a session with an agent and print its ID, or with --wait what the agent says',
    details: [
      'If the token has sessions:content, the device of the machine shares the session with it: read, wait and approve work without a click in the console, and the service can decrypt the session for this token.',
    ],
    args: [MACHINE, { name: 'TEXT', description: 'The first message, or - for standard input', isOptional: true }],
    options: [
      { name: 'agent', value: 'NAME', description: 'Agent of the machine. Default: its first one' },
      { name: 'cwd', value: 'FOLDER', description: 'Folder on the machine' },
      { name: 'mode', value: 'MODE', description: 'Mode of the agent' },
      { name: 'tag', value: 'TAG', description: 'Name of the session, unique in the account' },
      FILE,
      { name: 'wait', description: 'Wait until the agent has finished, and print what it said' },
      WAIT_LIMIT,
      { name: 'no-grant', description: 'Do not share the session with the token' },
      KEY,
    ],
    examples: [
      'SESSION=$(xapi start build-1 --agent opencode --cwd /srv/app)',
      'xapi start build-1 "Update the dependencies." --wait',
    ],
    load: async () => (await import('../commands/start.ts')).start,
  },
  {
    name: 'continue',
    group: GROUP,
    summary: 'Continue a session that was begun at the terminal of a machine',
    details: [
      'Shows the sessions that the agents of the machine have, and asks which one to continue. Without a terminal, and with --json, prints the list, unless --session names one.',
      'A session that is still open in a terminal would have two writers. Continue a copy of it (--fork) then: the session in the terminal stays as it is.',
    ],
    args: [MACHINE, { name: 'TEXT', description: 'The first message, or - for standard input', isOptional: true }],
    options: [
      { name: 'session', value: 'ID', description: 'Continue this session of the agent, without a question' },
      { name: 'fork', description: 'Continue a copy' },
      { name: 'no-fork', description: 'Continue the session itself' },
      {
        name: 'agent',
        value: 'NAME',
        description: 'Only sessions of this agent. Default with --session: the first one',
      },
      { name: 'cwd', value: 'FOLDER', description: 'Only sessions in this folder' },
      { name: 'tag', value: 'TAG', description: 'Name of the session, unique in the account' },
      FILE,
      { name: 'wait', description: 'Wait until the agent has finished, and print what it said' },
      WAIT_LIMIT,
      LIMIT,
      { name: 'no-grant', description: 'Do not share the session with the token' },
      KEY,
    ],
    examples: ['xapi continue build-1', 'xapi continue build-1 "What is left to do?" --session 6f1d2c9e --fork --wait'],
    load: async () => (await import('../commands/continue.ts')).continueSession,
  },
  {
    name: 'send',
    group: GROUP,
    summary: 'Send a message to the agent of a session',
    args: [SESSION, { name: 'TEXT', description: 'The message, or - for standard input' }],
    options: [
      FILE,
      { name: 'wait', description: 'Wait until the agent has finished, and print what it said' },
      WAIT_LIMIT,
      KEY,
    ],
    examples: [
      'xapi send "$SESSION" "Fix the failing test." --wait',
      'git diff | xapi send "$SESSION" - --wait --timeout 10m --json',
      'xapi send "$SESSION" "Why does the page look like this?" --file screenshot.png --wait',
    ],
    load: async () => (await import('../commands/send.ts')).send,
  },
  {
    name: 'wait',
    group: GROUP,
    summary: 'Wait for a turn of an agent, and print what it said',
    args: [SESSION, { name: 'TURN', description: 'ID of a turn. Default: the newest one', isOptional: true }],
    options: [WAIT_LIMIT],
    load: async () => (await import('../commands/wait.ts')).wait,
  },
  {
    name: 'approve',
    group: GROUP,
    summary: 'Show what an agent asks, and allow or reject it',
    args: [{ name: 'SESSION|PERMISSION', description: 'Session, or ID of a permission request' }],
    options: [
      { name: 'allow', description: 'Allow without a question' },
      { name: 'yes', description: 'The same as --allow' },
      { name: 'reject', description: 'Reject without a question' },
      { name: 'option', value: 'ID', description: 'Choose this option of the agent, such as one that allows always' },
    ],
    load: async () => (await import('../commands/approve.ts')).approve,
  },
  {
    name: 'cancel',
    group: GROUP,
    summary: 'Cancel a turn. What the agent has done stays done',
    args: [SESSION, { name: 'TURN', description: 'ID of a turn. Default: all open ones', isOptional: true }],
    load: async () => (await import('../commands/cancel.ts')).cancel,
  },
  {
    name: 'end',
    group: GROUP,
    summary: 'End a session: cancel its turns and stop its agent. The history stays',
    args: [SESSION],
    load: async () => (await import('../commands/end.ts')).end,
  },
  {
    name: 'run',
    group: GROUP,
    summary: 'Run a command on a machine and pass on its output and exit code',
    details: [
      'The command gets exactly these arguments; there is no shell. Its output is passed on byte for byte while it runs. Ctrl-C cancels it; a second Ctrl-C stops waiting.',
      'The exit code is that of the command, 128 + n after the signal n, 124 when its time was up, 130 after Ctrl-C, and 125 if xapi itself fails.',
    ],
    args: [MACHINE],
    rest: { name: 'COMMAND [ARGUMENTS]', description: 'the program and its arguments' },
    options: [
      { name: 'cwd', value: 'FOLDER', description: 'Folder on the machine' },
      {
        name: 'timeout',
        value: 'DURATION',
        description: 'End the command after this time, at most 1h. Default: 10m',
      },
      KEY,
    ],
    examples: ['xapi run build-1 -- npm test', "xapi run build-1 --cwd /srv/app -- sh -c 'make && make test'"],
    passesExitCode: true,
    load: async () => (await import('../commands/run-command.ts')).runCommand,
  },
];
