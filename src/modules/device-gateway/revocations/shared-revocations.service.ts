import type { KeyObject } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { Clock, SECOND } from '../../../common/clock';
import { computeMac, verifyMac } from '../../../common/mac';
import { DerivedKeyProvider } from '../../../core/config';
import { REDIS_CLIENT, withTimeout, type RedisClient } from '../../../core/redis';
import { RevocationsRepository, type Revocations } from './revocations.repository';

const SNAPSHOT_KEY = 'relay:revocations';
const TURN_KEY = 'relay:revocations:turn';
/**
 * Age up to which a snapshot is used. With the interval of checks and the wait for Redis, a revocation takes effect
 * within a second.
 */
const MAX_AGE_MS = 300;
/** For all commands of a check together. */
const REDIS_TIMEOUT_MS = 150;
/** Wait for the snapshot of the instance that has the turn. */
const TURN_WAIT_MS = 50;
/**
 * Covers instances that last checked up to five seconds ago, whose windows are ten seconds longer than that, and a
 * replayed snapshot of an instance whose clock was ten seconds ahead.
 */
const MIN_WINDOW_MS = 30 * SECOND;
/** Two clocks differ by less. A snapshot that seems older may be a replay. */
const MAX_CLOCK_DIFFERENCE_MS = 10 * SECOND;
const MAC_LENGTH = 43;

interface RevocationSnapshot extends Revocations {
  windowMs: number;
  /** Time of the reading instance, in ms since 1970. */
  readAt: number;
}

/**
 * Reads revocations for all instances together: one of them reads PostgreSQL and puts a signed snapshot into Redis,
 * which the others use (docs/decisions/0056). An instance that gets none in time reads PostgreSQL itself.
 */
@Injectable()
export class SharedRevocationsService {
  constructor(
    @Inject(REDIS_CLIENT) private readonly redis: RedisClient | null,
    private readonly revocations: RevocationsRepository,
    private readonly derivedKeyProvider: DerivedKeyProvider,
    private readonly clock: Clock,
  ) {}

  /** Returns what was revoked in the last `windowMs`, or longer ago, from a read of the last 300 ms or a new one. */
  async findRevocations(windowMs: number): Promise<Revocations> {
    const shared = await withTimeout(this.findShared(windowMs), REDIS_TIMEOUT_MS).catch(() => null);
    return shared ?? (await this.readAndShare(windowMs));
  }

  /** Returns null if this instance is to read PostgreSQL. */
  private async findShared(windowMs: number): Promise<Revocations | null> {
    const { redis } = this;
    if (!redis) return null;
    try {
      const shared = await this.readSnapshot(redis, windowMs);
      if (shared) return shared;
      const hasTurn = await redis.set(TURN_KEY, '', 'PX', MAX_AGE_MS, 'NX');
      if (hasTurn) return null;
      await sleep(TURN_WAIT_MS, undefined, { ref: false });
      return await this.readSnapshot(redis, windowMs);
    } catch {
      return null;
    }
  }

  private async readAndShare(windowMs: number): Promise<Revocations> {
    const startedAt = this.clock.monotonicMs();
    const readAt = this.clock.now();
    const sharedWindowMs = Math.max(windowMs, MIN_WINDOW_MS);
    const revocations = await this.revocations.findRevocations(sharedWindowMs, new Date(readAt));
    const usableMs = Math.floor(MAX_AGE_MS - (this.clock.monotonicMs() - startedAt));
    if (this.redis && usableMs > 0) {
      const snapshot: RevocationSnapshot = { ...revocations, windowMs: sharedWindowMs, readAt };
      this.redis.set(SNAPSHOT_KEY, this.encodeSnapshot(snapshot), 'PX', usableMs).catch(() => undefined);
    }
    return revocations;
  }

  /** Redis deletes the snapshot when it is too old. */
  private async readSnapshot(redis: RedisClient, windowMs: number): Promise<Revocations | null> {
    const text = await redis.get(SNAPSHOT_KEY);
    const snapshot = text === null ? null : this.decodeSnapshot(text);
    const isUsable =
      snapshot !== null &&
      snapshot.windowMs >= windowMs &&
      Math.abs(this.clock.now() - snapshot.readAt) < MAX_CLOCK_DIFFERENCE_MS;
    return isUsable ? snapshot : null;
  }

  private encodeSnapshot(snapshot: RevocationSnapshot): string {
    const body = JSON.stringify(snapshot);
    return computeMac(this.keys[0], body) + body;
  }

  /** Returns null unless an instance of this installation wrote the text. */
  private decodeSnapshot(text: string): RevocationSnapshot | null {
    const body = text.slice(MAC_LENGTH);
    return verifyMac(this.keys, body, text.slice(0, MAC_LENGTH)) ? (JSON.parse(body) as RevocationSnapshot) : null;
  }

  private get keys(): readonly [KeyObject, ...KeyObject[]] {
    return this.derivedKeyProvider.getKeys('revocation-snapshot');
  }
}
