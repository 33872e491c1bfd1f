import { Injectable } from '@nestjs/common';
import { AccountExport } from '../accounts';
import { Clock } from '../common/clock';
import { AppAuthorizationsRepository } from './authorizations/app-authorizations.repository';
import { toAuthorizedAppRecord } from './authorizations/authorized-app-record';
import { toDeveloperAppRecord } from './developer-app-record';
import { DeveloperAppsRepository } from './developer-apps.repository';

/** An account's export: the apps that it registered, never a secret, and those that may act for it. */
@Injectable()
export class DeveloperAppsExport {
  constructor(
    private readonly rows: DeveloperAppsRepository,
    private readonly authorizations: AppAuthorizationsRepository,
    private readonly clock: Clock,
    accountExport: AccountExport,
  ) {
    accountExport.register({ name: 'apps', records: (accountId) => this.apps(accountId) });
    accountExport.register({ name: 'authorizedApps', records: (accountId) => this.authorized(accountId) });
  }

  private async *apps(accountId: string): AsyncGenerator<object> {
    const now = this.clock.now();
    for await (const row of this.rows.scan(accountId)) yield toDeveloperAppRecord(row, now);
  }

  private async *authorized(accountId: string): AsyncGenerator<object> {
    for await (const row of this.authorizations.scan(accountId)) yield toAuthorizedAppRecord(row);
  }
}
