import { Injectable } from '@nestjs/common';
import { SessionsRepository } from './sessions.repository';

/** Counts a session's messages for whoever keeps them. */
@Injectable()
export class SessionLog {
  constructor(private readonly sessions: SessionsRepository) {}

  /** Part of the transaction that appended them, under the session's lock. */
  append(sessionId: string, count: number, bytes: number, at: Date): Promise<void> {
    return this.sessions.append(sessionId, count, bytes, at);
  }
}
