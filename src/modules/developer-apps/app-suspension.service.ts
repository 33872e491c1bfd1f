import { Injectable } from '@nestjs/common';
import { AuditRecorder, type AuditActName } from '../../access/audit';
import { TokenCache } from '../../access/auth';
import { Clock } from '../../common/clock';
import { UnitOfWork } from '../../core/database';
import { AppAuthorizationsService } from './authorizations/app-authorizations.service';
import { toDeveloperAppDto, type DeveloperAppDto } from './developer-app.response.dto';
import { DeveloperAppsRepository } from './developer-apps.repository';

/** App with the account of its developer. */
export interface RegisteredDeveloperApp extends DeveloperAppDto {
  accountId: string;
}

/**
 * Suspends apps for all accounts, for operators. The suspension is independent of the state that the developer sets.
 * Tokens, secrets and authorization requests check it in the statements that check that state.
 */
@Injectable()
export class AppSuspensionService {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly apps: DeveloperAppsRepository,
    private readonly authorizations: AppAuthorizationsService,
    private readonly tokenCache: TokenCache,
    private readonly auditRecorder: AuditRecorder,
    private readonly clock: Clock,
  ) {}

  /** Returns the app of any developer, or null. */
  async findApp(clientId: string): Promise<RegisteredDeveloperApp | null> {
    const row = await this.apps.findByClientId(clientId);
    return row ? { ...toDeveloperAppDto(row, this.clock.now()), accountId: row.account_id } : null;
  }

  /** Suspends the app. No account can authorize it from then on. Keeps an earlier time. */
  suspendApp(app: RegisteredDeveloperApp): Promise<void> {
    return this.setSuspension(app, 'app.suspended', this.clock.currentDate());
  }

  /** Lifts the suspension. Accounts whose authorizations were revoked have to authorize the app again. */
  resumeApp(app: RegisteredDeveloperApp): Promise<void> {
    return this.setSuspension(app, 'app.resumed', null);
  }

  /**
   * Revokes all authorizations of a suspended app, in batches with a transaction each. A repeated call continues after
   * an interruption.
   * @param onProgress called with the number of revoked authorizations after each batch
   */
  revokeAuthorizations(clientId: string, onProgress: (count: number) => void): Promise<number> {
    return this.authorizations.revokeAuthorizationsInBatches(clientId, { onProgress });
  }

  /** Locks the app first, so that it waits for authorizations that are being granted, and later ones are refused. */
  private setSuspension(app: RegisteredDeveloperApp, act: AuditActName, suspendedAt: Date | null): Promise<void> {
    const { clientId: targetId, accountId } = app;
    return this.unitOfWork.runInTransaction(async () => {
      if (!(await this.apps.lockApp(accountId, targetId))) return;
      const isSuspended = (await this.findApp(targetId))?.state === 'suspended';
      if (isSuspended === (suspendedAt !== null)) return;
      await this.apps.update(targetId, { suspendedAt }, this.clock.currentDate());
      await this.auditRecorder.recordActs({ act, accountId, targetId });
      this.unitOfWork.afterCommit(() => this.tokenCache.invalidateAll());
    });
  }
}
