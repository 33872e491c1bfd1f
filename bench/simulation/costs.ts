import type { Constants } from './constants';
import type { Options } from './options';

/** What each step of a reconnect takes, in µs of one core. */
export interface Costs {
  /** Up to the handshake's look-ups, and what comes after them, on the instance. */
  accept: number;
  finish: number;
  disconnect: number;
  /** On PostgreSQL. */
  lookUps: number;
  presence: number;
  /** On Redis, each. */
  command: number;
}

/** Token, machine and epoch (src/relay/gateway/handshake.ts). */
export const LOOK_UP_STATEMENTS = 3;
/** A transaction of two updates (src/relay/gateway/presence-reporter.ts). */
export const PRESENCE_STATEMENTS = 4;
/** A device that closes and comes back: its look-ups, and presence written twice. */
const RECONNECT_STATEMENTS = LOOK_UP_STATEMENTS + 2 * PRESENCE_STATEMENTS;

export function costsOf(constants: Constants, { acceptShare }: Pick<Options, 'acceptShare'>): Costs {
  const service = constants.value('service.cpuUsPerReconnect');
  const statement = constants.value('postgres.cpuUsPerReconnect') / RECONNECT_STATEMENTS;
  return {
    accept: service * acceptShare,
    finish: service * (1 - acceptShare),
    disconnect: constants.value('service.cpuUsPerDisconnect'),
    lookUps: statement * LOOK_UP_STATEMENTS,
    presence: statement * PRESENCE_STATEMENTS,
    // A storm meets a busy Redis, which takes many commands at each wake-up.
    command: constants.value('redis.cpuUsPerCommandBusy'),
  };
}
