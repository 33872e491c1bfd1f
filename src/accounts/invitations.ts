import { createHash, randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Clock, DAY } from '../common/clock';
import { UnitOfWork } from '../persistence';

const LIFETIME_MS = 7 * DAY;

/** One-time codes that open sign-up where it is closed. Only their hash is kept. */
@Injectable()
export class Invitations {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
  ) {}

  async create(): Promise<{ code: string; expiresAt: Date }> {
    const code = randomBytes(18).toString('hex');
    const now = this.clock.date();
    const expiresAt = new Date(now.getTime() + LIFETIME_MS);
    await this.unitOfWork.query('INSERT INTO invitations (code_hash, created_at, expires_at) VALUES ($1, $2, $3)', [
      hash(code),
      now,
      expiresAt,
    ]);
    return { code, expiresAt };
  }

  /** Whether the code would open sign-up now; `redeem` alone decides who gets in with it. */
  async isGood(code: string | undefined): Promise<boolean> {
    if (code === undefined) return false;
    const rows = await this.unitOfWork.query(
      'SELECT 1 FROM invitations WHERE code_hash = $1 AND used_at IS NULL AND expires_at > $2',
      [hash(code), this.clock.date()],
    );
    return rows.length === 1;
  }

  /** Uses the code up, in the caller's transaction; false when it is unknown, used or expired. */
  async redeem(code: string, accountId: string): Promise<boolean> {
    const rows = await this.unitOfWork.query(
      `UPDATE invitations SET used_at = $2, account_id = $3
        WHERE code_hash = $1 AND used_at IS NULL AND expires_at > $2 RETURNING 1`,
      [hash(code), this.clock.date(), accountId],
    );
    return rows.length === 1;
  }
}

function hash(code: string): Buffer {
  return createHash('sha256').update(code).digest();
}
