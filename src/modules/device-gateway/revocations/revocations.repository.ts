import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../core/database';

/** What was revoked in a window before the read. */
export interface Revocations {
  deviceIds: string[];
  suspendedAccountIds: string[];
  /** Accounts of which all account devices were signed out, or one device was. */
  signedOutAccountIds: string[];
}

@Injectable()
export class RevocationsRepository {
  constructor(private readonly unitOfWork: UnitOfWork) {}

  /** Suspensions have times of the database's clock, the others of an instance's clock. */
  async findRevocations(windowMs: number, now: Date): Promise<Revocations> {
    const rows = await this.unitOfWork.queryRows<{ kind: keyof Revocations; id: string }>(
      `SELECT 'deviceIds' AS kind, device_id AS id FROM device_revocations WHERE revoked_at >= $1
       UNION ALL
       SELECT 'suspendedAccountIds', id FROM accounts WHERE suspended_at >= now() - $2 * interval '1 millisecond'
       UNION ALL
       SELECT 'signedOutAccountIds', id FROM accounts WHERE signed_out_at >= $1`,
      [new Date(now.getTime() - windowMs), windowMs],
    );
    const revocations: Revocations = { deviceIds: [], suspendedAccountIds: [], signedOutAccountIds: [] };
    for (const { kind, id } of rows) revocations[kind].push(id);
    return revocations;
  }
}
