import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../core/database';

/** Challenges that were redeemed, by hash, until they expire. */
@Injectable()
export class UsedChallengesRepository {
  constructor(private readonly unitOfWork: UnitOfWork) {}

  /** Returns false when the challenge was used before. Of concurrent callers, one gets true. */
  async insert(challenge: string, expiresAt: Date): Promise<boolean> {
    const rows = await this.unitOfWork.queryRows(
      `INSERT INTO used_challenges (hash, expires_at) VALUES (sha256($1::bytea), $2)
       ON CONFLICT DO NOTHING RETURNING 1`,
      [Buffer.from(challenge), expiresAt],
    );
    return rows.length === 1;
  }
}
