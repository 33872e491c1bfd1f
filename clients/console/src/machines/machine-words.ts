import type { InvocationRecord, MachineRecord } from '../content/records';
import { showInvisibleCharacters } from '../lib/visible-text';

const CAPABILITY_WORDS: Record<string, string> = {
  'session.start': 'start sessions',
  'session.message': 'receive messages',
  'session.permission': 'ask for approval',
  'session.question': 'ask questions',
  'permission.message': 'take a message with a decision',
  'session.cancel': 'stop turns',
  'session.end': 'end sessions',
  'machine.invoke': 'run commands',
  invocation: 'run long commands',
  'session.watch': 'show text as it is written',
  'session.progress': 'show what agents do while they do it',
  'session.sealed': 'read sealed messages',
  'session.attachments': 'receive pictures and files',
  'session.unprompted': 'show what agents do by themselves',
  'agent.sessions': 'list sessions of its terminal',
  'session.resume': 'continue them',
  'session.options': 'choose options of agents',
  'session.busy': 'steer and interrupt agents',
  'session.grant': 'share sessions with the tokens that start them',
  'turn.details': 'tell what turns cost, and whether they work',
};

/**
 * Returns what a machine can do, in words, the most important first. Capabilities that this page doesn't know keep
 * their names.
 */
export function describeCapabilities(
  { capabilities }: Pick<MachineRecord, 'capabilities'>,
  maxCount = Infinity,
): string {
  const known = Object.keys(CAPABILITY_WORDS).filter((name) => capabilities.includes(name));
  const others = capabilities.filter((name) => !(name in CAPABILITY_WORDS));
  const words = [...known.map((name) => CAPABILITY_WORDS[name]!), ...others];
  if (words.length === 0) return 'nothing yet';
  const rest = words.length - maxCount;
  return words.slice(0, maxCount).join(', ') + (rest > 0 ? `, and ${rest} more` : '');
}

/** Names the agents of a machine by their titles, with nothing hidden; a dash stands for none. */
export function nameAgents(agents: readonly Pick<MachineRecord['agents'][number], 'name' | 'title'>[]): string {
  return agents.map(({ name, title }) => showInvisibleCharacters(title ?? name)).join(', ') || '–';
}

/** Returns why the machine can't serve a call, as a sentence; empty if it can. */
export function findObstacle(
  { state, capabilities }: Pick<MachineRecord, 'state' | 'capabilities'>,
  ...needed: string[]
): string {
  if (state !== 'online') return 'The machine is offline. This works as soon as it is online.';
  if (needed.some((name) => capabilities.includes(name))) return '';
  return 'The program on the machine can’t do this. Update it.';
}

/** Returns how a command ended, or that it runs. */
export function describeInvocation({ state, exitCode, signal, errorCode }: InvocationRecord): string {
  switch (state) {
    case 'starting':
      return 'Starting …';
    case 'running':
      return 'Running …';
    case 'completed':
      return signal ? `Ended by ${signal}` : `Exit code ${exitCode}`;
    case 'cancelled':
      return 'Cancelled';
    case 'timed_out':
      return 'Stopped: its time was up';
    case 'failed':
      return `Failed: ${FAILURES[errorCode ?? ''] ?? errorCode ?? 'unknown reason'}`;
    case 'lost':
      return 'Unknown: the machine is away';
  }
}

const FAILURES: Record<string, string> = {
  command_not_found: 'the machine doesn’t have this command',
  permission_denied: 'the machine’s user may not run this command',
  cwd_not_found: 'the folder doesn’t exist',
  cwd_not_allowed: 'the machine doesn’t allow this folder',
  process_lost: 'the program on the machine ended with it',
  internal: 'the program on the machine had an error',
};
