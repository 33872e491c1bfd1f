import { randomUUID } from 'node:crypto';
import type { FleetAccount } from '../support/fleet';
import type { Sending } from '../support/send';
import { messageBody } from '../support/texts';

/** What callers and devices do, and of a hundred arrivals how many are of each kind. */
export const MIX = {
  'GET /me': 25,
  'GET /sessions': 20,
  'GET /sessions/{id}': 15,
  'POST /machines/{id}/invoke': 13,
  'POST /machines/{id}/invoke, keyed': 5,
  'POST /sessions/{id}/messages': 7,
  'append by a device': 15,
} as const;

export type Kind = keyof typeof MIX;
export const KINDS = Object.keys(MIX) as Kind[];

const INVOKE = JSON.stringify({ command: 'git', args: ['status', '--short'] });
const MESSAGE = JSON.stringify({ content: 'Please also update the changelog.' });
/** Prime to every number of accounts that is not a multiple of it: neighbours in time are not neighbours here. */
const STRIDE = 7_919;

/** The same requests in the same order whenever it is run. */
export class Mix {
  private readonly order = KINDS.flatMap((kind) => Array.from({ length: MIX[kind] }, () => kind));
  private turn = 0;

  constructor(
    private readonly url: string,
    private readonly fleet: FleetAccount[],
  ) {
    shuffle(this.order);
  }

  next(): { kind: Kind; account: FleetAccount; sending: Sending } {
    const turn = this.turn++;
    const kind = this.order[turn % this.order.length]!;
    const account = this.fleet[(turn * STRIDE) % this.fleet.length]!;
    return { kind, account, sending: this.sendingOf(kind, account, turn) };
  }

  private sendingOf(kind: Kind, account: FleetAccount, turn: number): Sending {
    const { token, session, machines } = account;
    const machine = machines[turn % machines.length]!;
    const api = `${this.url}/external/v1`;
    const get = (path: string): Sending => ({ method: 'GET', url: api + path, token });
    const post = (path: string, body: string): Sending => ({ method: 'POST', url: api + path, token, body });
    switch (kind) {
      case 'GET /me':
        return get('/me');
      case 'GET /sessions':
        return get('/sessions');
      case 'GET /sessions/{id}':
        return get(`/sessions/${session.id}`);
      case 'POST /machines/{id}/invoke':
        return post(`/machines/${machine.machineId}/invoke`, INVOKE);
      case 'POST /machines/{id}/invoke, keyed':
        return {
          ...post(`/machines/${machine.machineId}/invoke`, INVOKE),
          headers: { 'Idempotency-Key': randomUUID() },
        };
      case 'POST /sessions/{id}/messages':
        return post(`/sessions/${session.id}/messages`, MESSAGE);
      case 'append by a device':
        return {
          method: 'POST',
          url: `${this.url}/v1/sessions/${session.id}/messages`,
          // Its host's: a machine writes only what it hosts.
          token: machines[0]!.token,
          body: messageBody(account),
        };
    }
  }
}

/** Fisher–Yates with a small generator of its own (mulberry32), so that each run is like the last. */
function shuffle(list: unknown[]): void {
  let state = 1;
  const random = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  for (let i = list.length - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1));
    [list[i], list[j]] = [list[j], list[i]];
  }
}
