import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../persistence';
import type { AccountLimits } from './plan';

/** An account as operators see it. */
export interface ControlledAccount {
  id: string;
  username: string;
  createdAt: Date;
  suspendedAt: Date | null;
  /** Its own, instead of the plan's. */
  limits: AccountLimits;
  storageBytes: number;
}

const COLUMNS = `id, username, created_at AS "createdAt", suspended_at AS "suspendedAt", limits,
  storage_bytes::float8 AS "storageBytes"`;

/**
 * What an operator says of an account. Running instances find it with the next look-up of a credential, and close
 * sockets (docs/decisions/0023): within a second, without being told.
 */
@Injectable()
export class AccountControl {
  constructor(private readonly unitOfWork: UnitOfWork) {}

  /** @param name its username or its id */
  async find(name: string): Promise<ControlledAccount | null> {
    return this.one(`SELECT ${COLUMNS} FROM accounts WHERE id = $1 OR username = $1`, [name]);
  }

  /** By the database's clock, which those who close sockets ask too. An earlier suspension stands. */
  suspend(id: string): Promise<ControlledAccount | null> {
    return this.one(
      `UPDATE accounts SET suspended_at = coalesce(suspended_at, now()) WHERE id = $1 RETURNING ${COLUMNS}`,
      [id],
    );
  }

  resume(id: string): Promise<ControlledAccount | null> {
    return this.one(`UPDATE accounts SET suspended_at = NULL WHERE id = $1 RETURNING ${COLUMNS}`, [id]);
  }

  /** @param changes limits that become the account's own; null: the plan's again. Others stay as they are */
  setLimits(id: string, changes: Partial<Record<keyof AccountLimits, number | null>>) {
    return this.one(
      `UPDATE accounts SET limits = jsonb_strip_nulls(limits || $2::jsonb) WHERE id = $1 RETURNING ${COLUMNS}`,
      [id, JSON.stringify(changes)],
    );
  }

  private async one(sql: string, parameters: unknown[]): Promise<ControlledAccount | null> {
    const [row] = await this.unitOfWork.query<ControlledAccount>(sql, parameters);
    return row ?? null;
  }
}
