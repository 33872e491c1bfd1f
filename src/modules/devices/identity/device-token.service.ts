import { Injectable } from '@nestjs/common';
import { AccountsService, toCallerAccount } from '../../accounts';
import { AuditRecorder, type AuditActor } from '../../../access/audit';
import {
  invalidToken,
  LastUsedRecorder,
  RowTokenVerifier,
  TokenCache,
  TokenVerifierRegistry,
  type DevicePrincipal,
  type IssuedToken,
  type TokenIssuer,
} from '../../../access/auth';
import { Clock, DAY } from '../../../common/clock';
import { hashSecretToken, generateSecretToken } from '../../../common/secret-token';
import { UnitOfWork } from '../../../core/database';
import { DeviceTokensRepository, type DeviceTokenRow } from './device-tokens.repository';

const DEVICE_TOKEN_LIFETIME_MS = 30 * DAY;
/** Includes expired ones. A program that signs in at each start forgets its earlier tokens, but doesn't end them. */
const MAX_TOKENS_PER_DEVICE = 1_000;

export interface IssuedDeviceToken {
  token: string;
  tokenExpiresAt: number;
}

/** @param deviceId the device that signs out, or null for all account devices of the account */
type SignOutListener = (accountId: string, deviceId: string | null) => Promise<void>;

/** Tokens of devices (`svc_dev_…`), issued at sign-up and sign-in, valid for 30 days or until the device is revoked. */
@Injectable()
export class DeviceTokenService extends RowTokenVerifier<DeviceTokenRow> implements TokenIssuer {
  readonly prefix = 'svc_dev_';
  readonly audience = 'device';
  private readonly signOutListeners: SignOutListener[] = [];

  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly tokens: DeviceTokensRepository,
    private readonly accounts: AccountsService,
    private readonly tokenCache: TokenCache,
    private readonly lastUsedRecorder: LastUsedRecorder,
    private readonly auditRecorder: AuditRecorder,
    tokenVerifiers: TokenVerifierRegistry,
    clock: Clock,
  ) {
    super(tokenVerifiers, clock);
  }

  /** The listener runs in the transaction that deletes the tokens, and which has locked the account. */
  onSignOut(listener: SignOutListener): void {
    this.signOutListeners.push(listener);
  }

  async issueToken(deviceId: string): Promise<IssuedDeviceToken> {
    const token = generateSecretToken(this.prefix);
    const createdAt = this.clock.currentDate();
    const expiresAt = new Date(createdAt.getTime() + DEVICE_TOKEN_LIFETIME_MS);
    await this.tokens.insert({ hash: hashSecretToken(token), deviceId, createdAt, expiresAt });
    return { token, tokenExpiresAt: expiresAt.getTime() };
  }

  /**
   * Deletes the oldest tokens of a device that is about to get one beyond its maximum. It isn't signed out, since its
   * newer tokens are valid. Call it before other writes: it locks the account before the tokens and the device, like
   * all revocations, to avoid deadlocks.
   */
  async deleteSurplusTokens(accountId: string, deviceId: string): Promise<void> {
    if ((await this.tokens.countByDevice(deviceId)) < MAX_TOKENS_PER_DEVICE) return;
    await this.accounts.recordSignOut(accountId, this.clock.currentDate());
    await this.tokens.deleteAllButNewest(deviceId, MAX_TOKENS_PER_DEVICE - 1);
    this.unitOfWork.afterCommit(() => this.tokenCache.invalidateAccount(accountId));
  }

  /**
   * Revokes the token of a browser's login on all instances within a second. Its device may sign in again.
   * @param successorId the device that has signed in instead; if it is the same one, it isn't signed out
   */
  revokeToken(token: string, successorId?: string): Promise<void> {
    return this.unitOfWork.runInTransaction(() => this.deleteToken(token, 'browser', successorId));
  }

  async findIssuedToken(token: string): Promise<IssuedToken | null> {
    const row = await this.tokens.findWithDevice(hashSecretToken(token));
    if (!row) return null;
    const isExpired = row.expires_at.getTime() <= this.clock.now();
    return {
      kind: 'device_token',
      accountId: row.account_id,
      id: row.id,
      name: row.name,
      appId: null,
      scopes: null,
      state: row.revoked_at ? 'revoked' : isExpired ? 'expired' : 'active',
      createdAt: row.created_at.getTime(),
      expiresAt: row.expires_at.getTime(),
      lastUsedAt: row.last_used_at?.getTime() ?? null,
      lastUsedAddress: null,
    };
  }

  /** Signs the device out and closes its socket. It is not revoked, and may sign in again with its key. */
  revokeIssuedToken(token: string): Promise<void> {
    return this.unitOfWork.runInTransaction(async () => {
      if ((await this.findIssuedToken(token))?.state === 'active') await this.deleteToken(token);
    });
  }

  /** Revokes all tokens of the account's account devices. Machine devices stay signed in. */
  revokeAccountTokens(accountId: string): Promise<void> {
    return this.unitOfWork.runInTransaction(async () => {
      await this.accounts.recordSignOut(accountId, this.clock.currentDate());
      await this.tokens.deleteByAccount(accountId);
      await this.notifySignOut(accountId, null);
      await this.auditRecorder.recordActs({ act: 'account.signed_out', accountId, targetId: accountId });
      this.unitOfWork.afterCommit(() => this.tokenCache.invalidateAccount(accountId));
    });
  }

  /** @throws ApiError 401 if the token, or its device, was revoked after the caller's credential was looked up */
  async requireToken(hash: Buffer): Promise<void> {
    const [row] = await this.tokens.findByHashes([hash]);
    if (!row || row.revoked_at) throw invalidToken('revoked');
  }

  /** Returns the hashes, in hex, of tokens that are not revoked. */
  async findActiveHashes(hashes: readonly Buffer[]): Promise<Set<string>> {
    const existingHashes = await this.tokens.findExistingHashes(hashes);
    return new Set(existingHashes.map((hash) => hash.toString('hex')));
  }

  /**
   * Locks the account before its token, like `revokeAccountTokens`, to avoid deadlocks.
   * @param actorKind `browser` for the device itself; by default, the caller of the request is the actor
   */
  private async deleteToken(token: string, actorKind?: 'browser', successorId?: string): Promise<void> {
    const hash = hashSecretToken(token);
    const device = await this.tokens.findWithDevice(hash);
    if (!device) return;
    const { id, account_id: accountId } = device;
    const actor: AuditActor | undefined = actorKind && { kind: actorKind, id };
    await this.accounts.recordSignOut(accountId, this.clock.currentDate());
    if (!(await this.tokens.delete(hash))) return;
    if (id !== successorId) await this.notifySignOut(accountId, id);
    await this.auditRecorder.recordActs({ act: 'device.signed_out', accountId, targetId: id, actor });
    this.unitOfWork.afterCommit(() => this.tokenCache.invalidateAccount(accountId));
  }

  private async notifySignOut(accountId: string, deviceId: string | null): Promise<void> {
    for (const listener of this.signOutListeners) await listener(accountId, deviceId);
  }

  protected findRows(hashes: readonly Buffer[]): Promise<DeviceTokenRow[]> {
    return this.tokens.findByHashes(hashes);
  }

  protected toPrincipal(row: DeviceTokenRow): DevicePrincipal | null {
    if (row.revoked_at) return null;
    return {
      kind: 'device',
      accountId: row.account_id,
      account: toCallerAccount(row),
      deviceId: row.id,
      deviceKind: row.kind,
      tokenHash: row.hash,
      tokenExpiresAt: row.expires_at.getTime(),
    };
  }

  /** A call is a sign of life of its device, which may have signed in weeks ago. */
  protected override recordUse(row: DeviceTokenRow): void {
    this.lastUsedRecorder.record(row, (id, now, before) => this.tokens.updateLastSeenAt(id, now, before));
  }
}
