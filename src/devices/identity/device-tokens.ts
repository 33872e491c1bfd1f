import { Injectable } from '@nestjs/common';
import { callerAccountColumns, callerAccountOf, type CallerAccountRow } from '../../accounts';
import { RecentLookUps, TokenVerifier, type DeviceKind, type KnownToken, type Verification } from '../../auth';
import { Clock, DAY } from '../../common/clock';
import { hashToken, mintToken } from '../../common/secret-token';
import { UnitOfWork } from '../../persistence';
import { DeviceTokenEntity } from '../device-token.entity';

const LIFETIME_MS = 30 * DAY;

interface TokenRow extends CallerAccountRow {
  id: string;
  account_id: string;
  kind: DeviceKind;
  revoked_at: Date | null;
  hash: Buffer;
  expires_at: Date;
}

export interface IssuedDeviceToken {
  token: string;
  tokenExpiresAt: number;
}

/** `svc_dev_…`: issued at sign-up and sign-in, valid for 30 days or until its device is revoked. */
@Injectable()
export class DeviceTokens extends TokenVerifier {
  readonly prefix = 'svc_dev_';
  readonly opens = 'device';

  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly recent: RecentLookUps,
    private readonly clock: Clock,
  ) {
    super();
  }

  async issue(deviceId: string): Promise<IssuedDeviceToken> {
    const token = mintToken(this.prefix);
    const createdAt = this.clock.date();
    const expiresAt = new Date(createdAt.getTime() + LIFETIME_MS);
    await this.unitOfWork.manager.insert(DeviceTokenEntity, {
      hash: hashToken(token),
      deviceId,
      createdAt,
      expiresAt,
    });
    return { token, tokenExpiresAt: expiresAt.getTime() };
  }

  /** Ends one token before its time, everywhere within a second; its device may sign in again. */
  async end(token: string): Promise<void> {
    const [ended] = await this.unitOfWork.query<{ account_id: string }>(
      `DELETE FROM device_tokens t USING devices d WHERE d.id = t.device_id AND t.hash = $1 RETURNING d.account_id`,
      [hashToken(token)],
    );
    if (ended) this.unitOfWork.afterCommit(() => this.recent.forget(ended.account_id));
  }

  /** Ends every token of the account's account devices, as `end` does; machines go on. */
  endAll(accountId: string): Promise<void> {
    return this.unitOfWork.run(async () => {
      await this.unitOfWork.query('UPDATE accounts SET signed_out_at = $2 WHERE id = $1', [
        accountId,
        this.clock.date(),
      ]);
      await this.unitOfWork.query(
        `DELETE FROM device_tokens t USING devices d
          WHERE d.id = t.device_id AND d.account_id = $1 AND d.kind = 'account'`,
        [accountId],
      );
      this.unitOfWork.afterCommit(() => this.recent.forget(accountId));
    });
  }

  /** Accounts that were signed out everywhere in the last `ms`, by clocks that may differ. */
  async signedOutWithin(ms: number): Promise<Set<string>> {
    const rows = await this.unitOfWork.query<{ id: string }>('SELECT id FROM accounts WHERE signed_out_at >= $1', [
      new Date(this.clock.now() - ms),
    ]);
    return new Set(rows.map(({ id }) => id));
  }

  /** The hashes, in hex, of those that have not been ended. */
  async standing(hashes: readonly Buffer[]): Promise<Set<string>> {
    const rows = await this.unitOfWork.query<{ hash: Buffer }>('SELECT hash FROM device_tokens WHERE hash = ANY($1)', [
      hashes,
    ]);
    return new Set(rows.map(({ hash }) => hash.toString('hex')));
  }

  async lookUp(hash: Buffer): Promise<KnownToken | null> {
    const found = await this.find(hash);
    return found ? { accountId: found.account_id, judge: () => this.judge(found) } : null;
  }

  private judge(found: TokenRow): Verification {
    if (found.revoked_at) return { ok: false, reason: 'revoked' };
    if (found.expires_at.getTime() <= this.clock.now()) return { ok: false, reason: 'expired' };
    return {
      ok: true,
      principal: {
        kind: 'device',
        accountId: found.account_id,
        account: callerAccountOf(found),
        deviceId: found.id,
        deviceKind: found.kind,
        tokenHash: found.hash,
        tokenExpiresAt: found.expires_at.getTime(),
      },
    };
  }

  private async find(hash: Buffer): Promise<TokenRow | undefined> {
    const [row] = await this.unitOfWork.query<TokenRow>(
      `SELECT d.id, d.account_id, d.kind, d.revoked_at, t.hash, t.expires_at, ${callerAccountColumns('a')}
         FROM device_tokens t JOIN devices d ON d.id = t.device_id JOIN accounts a ON a.id = d.account_id
        WHERE t.hash = $1`,
      [hash],
    );
    return row;
  }
}
