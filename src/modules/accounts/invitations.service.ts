import { createHash, randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Clock, DAY } from '../../common/clock';
import { UnitOfWork } from '../../core/database';

const INVITATION_LIFETIME_MS = 7 * DAY;

/** One-time codes that allow sign-up where it is closed. Only their hashes are stored. */
@Injectable()
export class InvitationsService {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
  ) {}

  async createInvitation(): Promise<{ code: string; expiresAt: Date }> {
    const code = randomBytes(18).toString('hex');
    const now = this.clock.currentDate();
    const expiresAt = new Date(now.getTime() + INVITATION_LIFETIME_MS);
    await this.unitOfWork.queryRows('INSERT INTO invitations (code_hash, created_at, expires_at) VALUES ($1, $2, $3)', [
      hashInvitationCode(code),
      now,
      expiresAt,
    ]);
    return { code, expiresAt };
  }

  /** Checks a code without redeeming it. The result is advisory; `redeemCode` decides. */
  async isValidCode(code: string | undefined): Promise<boolean> {
    if (code === undefined) return false;
    const rows = await this.unitOfWork.queryRows(
      'SELECT 1 FROM invitations WHERE code_hash = $1 AND used_at IS NULL AND expires_at > $2',
      [hashInvitationCode(code), this.clock.currentDate()],
    );
    return rows.length === 1;
  }

  /** Redeems the code in the caller's transaction. Returns false when it is unknown, used or expired. */
  async redeemCode(code: string, accountId: string): Promise<boolean> {
    const rows = await this.unitOfWork.queryRows(
      `UPDATE invitations SET used_at = $2, account_id = $3
        WHERE code_hash = $1 AND used_at IS NULL AND expires_at > $2 RETURNING 1`,
      [hashInvitationCode(code), this.clock.currentDate(), accountId],
    );
    return rows.length === 1;
  }
}

function hashInvitationCode(code: string): Buffer {
  return createHash('sha256').update(code).digest();
}
