import { Injectable } from '@nestjs/common';
import type { SessionContext } from '@external-api/protocol';
import { InstanceRegistry } from '../../core/instances';
import type { SessionActivity } from './session.entity';
import type { SessionRow } from './session.response.dto';
import { MAX_INDEX_LAG_MS, SessionsRepository } from './sessions.repository';

/**
 * Updates a session for the modules that own its messages, turns, requests and queued messages, in their transaction
 * with the session's lock.
 */
@Injectable()
export class SessionActivityRecorder {
  constructor(
    private readonly sessions: SessionsRepository,
    private readonly instanceRegistry: InstanceRegistry,
  ) {}

  /** Locks a session until the transaction ends, for changes that the service makes itself. */
  lockSession(accountId: string, sessionId: string): Promise<SessionRow | undefined> {
    return this.sessions.lockSession(accountId, sessionId);
  }

  /**
   * Records bytes of other records than messages, negative ones when they are deleted before their session. The
   * caller charges the same bytes to the account's storage.
   */
  recordStoredBytes(sessionId: string, bytes: number): Promise<void> {
    return this.sessions.addRecordBytes(sessionId, bytes);
  }

  recordMessages(sessionId: string, count: number, bytes: number, appendedAt: Date): Promise<void> {
    // The previous release takes `updated_at` for the time of the last change.
    const indexLagMs = this.instanceRegistry.isOlderReleaseRunning ? 0 : MAX_INDEX_LAG_MS;
    return this.sessions.addMessageCounts(sessionId, count, bytes, appendedAt, indexLagMs);
  }

  recordActivity(sessionId: string, activity: SessionActivity, changedAt: Date): Promise<void> {
    return this.sessions.updateActivity(sessionId, activity, changedAt);
  }

  /** Does nothing if the session has this context already. */
  async recordContext({ id, context }: SessionRow, { used, size }: SessionContext, changedAt: Date): Promise<void> {
    if (context?.used === used && context.size === size) return;
    await this.sessions.updateContext(id, { used, size }, changedAt);
  }
}
