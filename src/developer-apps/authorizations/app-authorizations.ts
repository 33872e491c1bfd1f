import { Injectable } from '@nestjs/common';
import { RecentLookUps, type Scope } from '../../auth';
import { Clock } from '../../common/clock';
import { newId } from '../../common/ids';
import { UnitOfWork } from '../../persistence';
import { AppAuthorizationsRepository } from './app-authorizations.repository';

/** What ends with an authorization, in the transaction that ends it. */
export type AuthorizationEnd = (appId: string, accountIds: string[]) => Promise<void>;

/** Which apps may act for whom. Modules above that keep something for an app say here how it ends. */
@Injectable()
export class AppAuthorizations {
  private readonly ends: AuthorizationEnd[] = [];

  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly authorizations: AppAuthorizationsRepository,
    private readonly lookUps: RecentLookUps,
    private readonly clock: Clock,
  ) {}

  onEnd(end: AuthorizationEnd): void {
    this.ends.push(end);
  }

  /**
   * That the person agrees to these scopes, beside those agreed to before. Answers the authorization's id, null where
   * the app is disabled or gone.
   */
  grant(accountId: string, appId: string, scopes: Scope[]): Promise<string | null> {
    const createdAt = this.clock.date();
    return this.authorizations.grant({
      id: newId('aut'),
      accountId,
      appId,
      scopes,
      createdAt,
      lastUsedAt: null,
    });
  }

  /** Null where the person has authorized no such app, and while the app is disabled. */
  standing(accountId: string, appId: string): Promise<{ id: string; scopes: Scope[] } | null> {
    return this.authorizations.find(accountId, appId);
  }

  /** Whether there is one; it does not end before the transaction does. */
  hold(accountId: string, appId: string): Promise<boolean> {
    return this.authorizations.hold(accountId, appId);
  }

  /** Ends all that the app may do for the account, everywhere within a second; false when that was nothing. */
  end(accountId: string, appId: string): Promise<boolean> {
    return this.unitOfWork.run(async () => {
      if (!(await this.authorizations.delete(accountId, appId))) return false;
      await this.tellEnd(appId, [accountId]);
      this.unitOfWork.afterCommit(() => this.lookUps.forget(accountId));
      return true;
    });
  }

  /** The same for everybody. */
  endAll(appId: string): Promise<void> {
    return this.unitOfWork.run(async () => {
      await this.tellEnd(appId, await this.authorizations.deleteAll(appId));
      this.unitOfWork.afterCommit(() => this.lookUps.forgetAll());
    });
  }

  /** That the app acted for the account: at most one write a minute; answers with what stands then. */
  touch(id: string, now: Date, before: Date): Promise<Date | null> {
    return this.authorizations.touch(id, now, before);
  }

  private async tellEnd(appId: string, accountIds: string[]): Promise<void> {
    if (accountIds.length === 0) return;
    for (const end of this.ends) await end(appId, accountIds);
  }
}
