import { WATCH_LEASE_MS, type DeltaMessage, type OutputMessage } from '@external-api/protocol';
import { isIdentifier, isJsonObject, isTime, type JsonObject } from '../untrusted-values';

/** Leases of one kind that a connection may hold: far more than sessions with an agent, or commands that run. */
const MAX_LEASES = 256;

/** Messages of live output on the socket (docs/protocol/device-api.md#live-output). */
export interface LiveMessages {
  delta: DeltaMessage;
  output: OutputMessage;
}

/** A connection to the service, as far as live output uses it. */
export interface LiveConnection {
  /** Whether much of what was sent is still unsent. Live output waits then or is dropped: it delays no answer. */
  readonly isCongested: boolean;
  /** Sends a message, unless the connection has ended. Never throws. */
  sendLiveMessage<E extends keyof LiveMessages>(event: E, message: LiveMessages[E]): void;
}

/**
 * Requests of the service: the sessions and invocations whose output somebody reads. A request is a lease of
 * {@link WATCH_LEASE_MS} at most on the connection that it arrived on. Without one, nothing is sent: a release that
 * sends no requests closes the socket of a device that sends events.
 */
export class LiveOutputRequests {
  private readonly sessions: LeaseSet;
  private readonly progress: LeaseSet;
  private readonly invocations: LeaseSet;
  private readonly sessionListeners = new Set<(sessionId: string) => void>();
  private readonly progressListeners = new Set<(sessionId: string) => void>();

  /** @param isHostedSession whether this device runs an agent in the session */
  constructor(
    private readonly clock: { now(): number },
    private readonly isHostedSession: (sessionId: string) => boolean,
  ) {
    this.sessions = new LeaseSet(clock);
    this.progress = new LeaseSet(clock);
    this.invocations = new LeaseSet(clock);
  }

  /** Applies `turn:watch`. Ignores a malformed one, and one for a session of another device. */
  applyTurnWatch(payload: unknown, connection: LiveConnection): void {
    this.applySessionLease(this.sessions, this.sessionListeners, payload, connection);
  }

  /** Applies `progress:watch`, like {@link applyTurnWatch}. */
  applyProgressWatch(payload: unknown, connection: LiveConnection): void {
    this.applySessionLease(this.progress, this.progressListeners, payload, connection);
  }

  /** Applies `invocation:watch`. Ignores a malformed one. */
  applyInvocationWatch(payload: unknown, connection: LiveConnection): void {
    const { invocationId, ...lease } = isJsonObject(payload) ? payload : {};
    const until = this.toEndTime(lease);
    if (!isIdentifier(invocationId) || !invocationId.startsWith('inv_') || until === undefined) return;
    this.invocations.setLease(invocationId, until, connection);
  }

  private applySessionLease(
    leases: LeaseSet,
    listeners: ReadonlySet<(sessionId: string) => void>,
    payload: unknown,
    connection: LiveConnection,
  ): void {
    const { sessionId, ...lease } = isJsonObject(payload) ? payload : {};
    const until = this.toEndTime(lease);
    if (!isIdentifier(sessionId) || until === undefined || !this.isHostedSession(sessionId)) return;
    if (leases.setLease(sessionId, until, connection)) for (const listener of listeners) listener(sessionId);
  }

  /**
   * Returns the end of a lease by this device's idea of server time. The service's clock may have been set, so the time
   * that it sends tells how long the lease lasts. Earlier releases don't send one.
   */
  private toEndTime({ until, serverTime }: JsonObject): number | undefined {
    if (!isTime(until)) return undefined;
    return isTime(serverTime) ? this.clock.now() + until - serverTime : until;
  }

  /** Calls the listener when a lease of a session begins or is renewed. */
  onSessionWatched(listener: (sessionId: string) => void): void {
    this.sessionListeners.add(listener);
  }

  /** Calls the listener when a lease for the progress of a session begins or is renewed. */
  onProgressWatched(listener: (sessionId: string) => void): void {
    this.progressListeners.add(listener);
  }

  /** Returns where to send the progress of a session; undefined when nobody reads it. */
  findProgressConnection(sessionId: string): LiveConnection | undefined {
    return this.progress.findConnection(sessionId);
  }

  /** Returns where to send the text of a session; undefined when nobody reads it. */
  findSessionConnection(sessionId: string): LiveConnection | undefined {
    return this.sessions.findConnection(sessionId);
  }

  /** Returns where to send the output of an invocation; undefined when nobody reads it. */
  findInvocationConnection(invocationId: string): LiveConnection | undefined {
    return this.invocations.findConnection(invocationId);
  }

  /** Ends the leases of a connection that has ended. */
  removeConnection(connection: LiveConnection): void {
    this.sessions.removeConnection(connection);
    this.progress.removeConnection(connection);
    this.invocations.removeConnection(connection);
  }
}

/** Leases by connection: an old one that is about to be closed neither ends nor takes over those of the new one. */
class LeaseSet {
  /** Ends of leases in server time, by id; the newest connection comes first. */
  private holders: { connection: LiveConnection; endTimes: Map<string, number> }[] = [];

  constructor(private readonly clock: { now(): number }) {}

  /** Returns whether the lease holds now. */
  setLease(id: string, until: number, connection: LiveConnection): boolean {
    const now = this.clock.now();
    const endTimes = this.getEndTimes(connection);
    if (until <= now) {
      endTimes.delete(id);
      return false;
    }
    if (endTimes.size >= MAX_LEASES && !endTimes.has(id)) removeExpiredLeases(endTimes, now);
    if (endTimes.size >= MAX_LEASES && !endTimes.has(id)) return false;
    endTimes.set(id, Math.min(until, now + WATCH_LEASE_MS));
    return true;
  }

  findConnection(id: string): LiveConnection | undefined {
    for (const { connection, endTimes } of this.holders) {
      const endTime = endTimes.get(id);
      if (endTime === undefined) continue;
      if (endTime > this.clock.now()) return connection;
      endTimes.delete(id);
    }
    return undefined;
  }

  removeConnection(connection: LiveConnection): void {
    this.holders = this.holders.filter((holder) => holder.connection !== connection);
  }

  private getEndTimes(connection: LiveConnection): Map<string, number> {
    const known = this.holders.find((holder) => holder.connection === connection);
    if (known) return known.endTimes;
    const endTimes = new Map<string, number>();
    this.holders.unshift({ connection, endTimes });
    return endTimes;
  }
}

function removeExpiredLeases(endTimes: Map<string, number>, now: number): void {
  for (const [id, endTime] of endTimes) if (endTime <= now) endTimes.delete(id);
}
