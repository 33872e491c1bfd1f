import { randomUUID } from 'node:crypto';
import type { FleetAccount } from '../support/fleet';
import type { OutgoingRequest } from '../support/http-load-client';
import { createMessageBody } from '../support/message-body';

/** Kinds of calls of callers and devices, with their share in percent. */
export const WORKLOAD_SHARES = {
  'GET /me': 25,
  'GET /sessions': 20,
  'GET /sessions/{id}': 15,
  'POST /machines/{id}/invoke': 13,
  'POST /machines/{id}/invoke, keyed': 5,
  'POST /sessions/{id}/messages': 7,
  'append by a device': 15,
} as const;

export type CallKind = keyof typeof WORKLOAD_SHARES;
export const CALL_KINDS = Object.keys(WORKLOAD_SHARES) as CallKind[];

const INVOKE = JSON.stringify({ command: 'git', args: ['status', '--short'] });
const MESSAGE = JSON.stringify({ content: 'Please also update the changelog.' });
/** A prime, so that successive calls use distant accounts and all accounts are used equally. */
const STRIDE = 7_919;

/** Sequence of requests, the same in every run. */
export class Workload {
  private readonly callOrder = CALL_KINDS.flatMap((kind) => Array.from({ length: WORKLOAD_SHARES[kind] }, () => kind));
  private callCount = 0;

  constructor(
    private readonly url: string,
    private readonly fleet: FleetAccount[],
  ) {
    shuffle(this.callOrder);
  }

  nextCall(): { callKind: CallKind; account: FleetAccount; outgoingRequest: OutgoingRequest } {
    const turn = this.callCount++;
    const kind = this.callOrder[turn % this.callOrder.length]!;
    const account = this.fleet[(turn * STRIDE) % this.fleet.length]!;
    return { callKind: kind, account, outgoingRequest: this.buildRequest(kind, account, turn) };
  }

  private buildRequest(callKind: CallKind, account: FleetAccount, turn: number): OutgoingRequest {
    const { token, session, machines } = account;
    const machine = machines[turn % machines.length]!;
    const api = `${this.url}/external/v1`;
    const get = (path: string): OutgoingRequest => ({ method: 'GET', url: api + path, token });
    const post = (path: string, body: string): OutgoingRequest => ({
      method: 'POST',
      url: api + path,
      token,
      body,
    });
    switch (callKind) {
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
          // The first machine hosts the session. Other machines may not write to it.
          token: machines[0]!.token,
          body: createMessageBody(account),
        };
    }
  }
}

/** Shuffles with Fisher–Yates and a seeded generator (mulberry32), so that every run is the same. */
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
