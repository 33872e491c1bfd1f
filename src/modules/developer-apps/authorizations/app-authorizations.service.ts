import { Injectable } from '@nestjs/common';
import { AuditRecorder, type AuditActor } from '../../../access/audit';
import { TokenCache, type Scope } from '../../../access/auth';
import { Clock } from '../../../common/clock';
import { generateId } from '../../../common/ids';
import { UnitOfWork } from '../../../core/database';
import { AppAuthorizationsRepository } from './app-authorizations.repository';

const REVOCATION_BATCH_SIZE = 500;

/** Called in the transaction that revokes authorizations. */
export type AuthorizationRevocationListener = (appId: string, accountIds: string[]) => Promise<void>;

/** Authorizations of apps. Modules that store data for an app register a listener for revocations. */
@Injectable()
export class AppAuthorizationsService {
  private readonly revocationListeners: AuthorizationRevocationListener[] = [];

  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly authorizations: AppAuthorizationsRepository,
    private readonly tokenCache: TokenCache,
    private readonly auditRecorder: AuditRecorder,
    private readonly clock: Clock,
  ) {}

  onRevocation(listener: AuthorizationRevocationListener): void {
    this.revocationListeners.push(listener);
  }

  /**
   * Grants these scopes in addition to earlier ones. Returns the authorization's id, or null when the app is disabled
   * or does not exist.
   */
  grantAuthorization(accountId: string, appId: string, scopes: Scope[]): Promise<string | null> {
    const createdAt = this.clock.currentDate();
    return this.unitOfWork.runInTransaction(async () => {
      const id = await this.authorizations.upsertScopes({
        id: generateId('aut'),
        accountId,
        appId,
        scopes,
        createdAt,
        lastUsedAt: null,
      });
      if (id) await this.auditRecorder.recordActs({ act: 'app.authorized', accountId, targetId: appId });
      return id;
    });
  }

  /** Returns null if the account has not authorized the app or the app is disabled. */
  findActiveAuthorization(accountId: string, appId: string): Promise<{ id: string; scopes: Scope[] } | null> {
    return this.authorizations.findActive(accountId, appId);
  }

  /** Returns whether the authorization exists, and locks it until the transaction ends. */
  lockAuthorization(accountId: string, appId: string): Promise<boolean> {
    return this.authorizations.lockAuthorization(accountId, appId);
  }

  /** Revokes the authorization on all instances within a second. Returns false when there was none. */
  revokeAuthorization(accountId: string, appId: string): Promise<boolean> {
    return this.unitOfWork.runInTransaction(async () => {
      if (!(await this.authorizations.delete(accountId, appId))) return false;
      await this.recordRevocation(appId, [accountId]);
      this.unitOfWork.afterCommit(() => this.tokenCache.invalidateAccount(accountId));
      return true;
    });
  }

  /**
   * Revokes the authorizations of all accounts. Each account's audit trail names the app as the actor, not its
   * developer, who is another person.
   */
  revokeAllAuthorizations(appId: string, actor: AuditActor = { kind: 'app', id: appId }): Promise<void> {
    return this.unitOfWork.runInTransaction(async () => {
      await this.recordRevocation(appId, await this.authorizations.deleteAllByApp(appId), actor);
      this.unitOfWork.afterCommit(() => this.tokenCache.invalidateAll());
    });
  }

  /**
   * Revokes the authorizations of an app that gets no new ones, in batches with a transaction each. A repeated call
   * continues after an interruption. Returns how many it has revoked.
   * @param actor by default the caller of the current request
   * @param onProgress called with the number of revoked authorizations after each batch
   */
  async revokeAuthorizationsInBatches(
    appId: string,
    { actor, onProgress }: { actor?: AuditActor; onProgress?: (count: number) => void } = {},
  ): Promise<number> {
    for (let count = 0; ;) {
      const revoked = await this.revokeAuthorizationBatch(appId, actor);
      count += revoked;
      if (revoked < REVOCATION_BATCH_SIZE) return count;
      onProgress?.(count);
    }
  }

  /** Records that the app was used, at most once a minute. Returns the stored time. */
  updateLastUsedAt(id: string, now: Date, before: Date): Promise<Date | null> {
    return this.authorizations.updateLastUsedAt(id, now, before);
  }

  private revokeAuthorizationBatch(appId: string, actor: AuditActor | undefined): Promise<number> {
    return this.unitOfWork.runInTransaction(async () => {
      const accountIds = await this.authorizations.deleteBatchByApp(appId, REVOCATION_BATCH_SIZE);
      await this.recordRevocation(appId, accountIds, actor);
      this.unitOfWork.afterCommit(() => this.tokenCache.invalidateAll());
      return accountIds.length;
    });
  }

  private async recordRevocation(appId: string, accountIds: string[], actor?: AuditActor): Promise<void> {
    if (accountIds.length === 0) return;
    const act = 'app.authorization_revoked' as const;
    await this.auditRecorder.recordActs(accountIds.map((accountId) => ({ act, accountId, targetId: appId, actor })));
    for (const listener of this.revocationListeners) await listener(appId, accountIds);
  }
}
