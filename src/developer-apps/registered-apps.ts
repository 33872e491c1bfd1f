import { Injectable } from '@nestjs/common';
import { isWellFormedToken } from '../common/secret-token';
import { DeveloperAppsRepository, type RegisteredApp } from './developer-apps.repository';

/** Apps by their client ids, whoever owns them. */
@Injectable()
export class RegisteredApps {
  constructor(private readonly apps: DeveloperAppsRepository) {}

  /** Null for an id that nobody has, and while the app is disabled; a typing error never reaches the database. */
  async find(clientId: string): Promise<RegisteredApp | null> {
    return isWellFormedToken('svc_oapp_', clientId) ? this.apps.findActive(clientId) : null;
  }

  /** What apps are called, by their client ids; disabled ones, too. */
  async namesOf(clientIds: readonly string[]): Promise<Map<string, string>> {
    const rows = clientIds.length > 0 ? await this.apps.names(clientIds) : [];
    return new Map(rows.map(({ id, name }) => [id, name]));
  }

  /** Whether there is one that is not disabled; it is not deleted before the transaction ends. */
  async hold(clientId: string): Promise<boolean> {
    return isWellFormedToken('svc_oapp_', clientId) && this.apps.holdActive(clientId);
  }
}
