import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../core/database';
import type { QueuedMessageRow } from './queued-message.response.dto';

/** What the dispatch needs to know of a message's session. */
interface SessionColumns {
  session_state: 'active' | 'ended';
  host_device_id: string | null;
  session_machine_id: string | null;
}

/** Message with a due step, and its session, which is locked. */
export type DueMessageRow = QueuedMessageRow & SessionColumns;

/** SQL of the dispatch: due steps, attempts and the order of a session's messages. */
@Injectable()
export class QueueDispatchRepository {
  constructor(private readonly unitOfWork: UnitOfWork) {}

  async hasDueMessage(now: Date): Promise<boolean> {
    const rows = await this.unitOfWork.queryRows(
      'SELECT 1 FROM queued_messages WHERE ended_at IS NULL AND due_at <= $1 LIMIT 1',
      [now],
    );
    return rows.length === 1;
  }

  /**
   * Locks the session of the message that has been due for the longest time, and returns the message. Skips sessions
   * that are locked, among others by another instance. The session's lock comes first, as in every transaction that
   * changes its messages.
   */
  async lockNextDue(now: Date, exceptAccountIds: readonly string[]): Promise<DueMessageRow | undefined> {
    const [candidate] = await this.unitOfWork.queryRows<SessionColumns & { id: string }>(
      `SELECT q.id, s.state AS session_state, s.host_device_id, s.machine_id AS session_machine_id
         FROM queued_messages q JOIN sessions s ON s.id = q.session_id
        WHERE q.ended_at IS NULL AND q.due_at <= $1 AND q.account_id <> ALL($2)
        ORDER BY q.due_at LIMIT 1 FOR UPDATE OF s SKIP LOCKED`,
      [now, exceptAccountIds],
    );
    if (!candidate) return undefined;
    // The statement above may have read the message before the session's lock was released by another transaction.
    const [row] = await this.unitOfWork.queryRows<QueuedMessageRow>('SELECT * FROM queued_messages WHERE id = $1', [
      candidate.id,
    ]);
    return row && { ...row, ...candidate };
  }

  /** Returns the message whose turn it is: one that is being sent, or the first one whose time has come. */
  async findHeadId(sessionId: string, now: Date): Promise<string | undefined> {
    const [row] = await this.unitOfWork.queryRows<{ id: string }>(
      `SELECT id FROM queued_messages
        WHERE session_id = $1 AND ended_at IS NULL AND (state = 'sending'
              OR expires_at > $2 AND (not_before IS NULL OR not_before <= $2))
        ORDER BY state = 'sending' DESC, position LIMIT 1`,
      [sessionId, now],
    );
    return row?.id;
  }

  /** Writes the start of an attempt. The caller must hold the session's lock. */
  async markSending(
    id: string,
    { requestId, senderInstance, leaseEndsAt, dueAt }: AttemptStart,
  ): Promise<{ version: number }> {
    const [row] = await this.unitOfWork.queryRows<{ version: number }>(
      `UPDATE queued_messages SET state = 'sending', version = version + 1, attempts = attempts + 1, woken = false,
              request_id = $2, sender_instance = $3, lease_ends_at = $4, due_at = $5
        WHERE id = $1 RETURNING version`,
      [id, requestId, senderInstance, leaseEndsAt, dueAt],
    );
    return row!;
  }

  /** Returns a message that did not reach its device to the queue, at its place, unless its text is deleted. */
  async requeue(id: string, dueAt: Date): Promise<boolean> {
    const rows = await this.unitOfWork.queryRows(
      `UPDATE queued_messages SET state = 'queued', version = version + 1, lease_ends_at = NULL, due_at = $2
        WHERE id = $1 AND sealed_text IS NOT NULL RETURNING id`,
      [id, dueAt],
    );
    return rows.length === 1;
  }

  /** Does nothing to a message that is being sent. */
  async makeDue(id: string, now: Date): Promise<void> {
    await this.unitOfWork.queryRows(
      `UPDATE queued_messages SET due_at = least(due_at, $2::timestamptz) WHERE id = $1 AND state = 'queued'`,
      [id, now],
    );
  }

  async postpone(id: string, dueAt: Date): Promise<void> {
    await this.unitOfWork.queryRows('UPDATE queued_messages SET due_at = $2 WHERE id = $1', [id, dueAt]);
  }

  /**
   * Makes messages due that wait for a device of these accounts. One that is being sent is noted as woken. Locks the
   * rows in the order of all transactions that change several of them.
   */
  async wakeAccounts(accountIds: readonly string[], now: Date): Promise<void> {
    await this.unitOfWork.queryRows(
      `UPDATE queued_messages
          SET woken = true, due_at = CASE WHEN state = 'queued' THEN least(due_at, $2::timestamptz) ELSE due_at END
        WHERE id IN (SELECT id FROM queued_messages
                      WHERE account_id = ANY($1) AND ended_at IS NULL AND attempts > 0
                      ORDER BY session_id, position FOR UPDATE)`,
      [accountIds, now],
    );
  }
}

/** What is written before a message is published. */
export interface AttemptStart {
  requestId: string;
  senderInstance: string;
  leaseEndsAt: Date;
  dueAt: Date;
}
