import { Injectable } from '@nestjs/common';
import { SessionsRepository } from './sessions.repository';

/** Updates a session's message counters for the messages module. */
@Injectable()
export class SessionActivityRecorder {
  constructor(private readonly sessions: SessionsRepository) {}

  /** Requires the transaction that appends the messages and the session's lock. */
  recordMessages(sessionId: string, count: number, bytes: number, appendedAt: Date): Promise<void> {
    return this.sessions.addMessageCounts(sessionId, count, bytes, appendedAt);
  }
}
