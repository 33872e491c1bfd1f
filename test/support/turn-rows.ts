import type { TurnState } from '@external-api/protocol';
import { generateId } from '../../src/common/ids';
import { queryDatabase } from './database';
import type { Service } from './service';

/** Inserts a turn as if this device had reported it, and returns the turn's id. */
export async function insertTurn(
  service: Service,
  owner: { accountId: string; sessionId: string; deviceId: string },
  state: TurnState,
): Promise<string> {
  const [row] = await queryDatabase<{ id: string }>(
    service,
    `INSERT INTO turns (id, account_id, session_id, device_id, revision, state, created_at, updated_at)
     VALUES ($1, $2, $3, $4, 1, $5, now(), now()) RETURNING id`,
    [generateId('turn'), owner.accountId, owner.sessionId, owner.deviceId, state],
  );
  return row!.id;
}
