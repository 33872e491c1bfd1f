import { Injectable } from '@nestjs/common';
import { isWellFormedToken } from '../../common/secret-token';
import { DeveloperAppsRepository, type RegisteredApp } from './developer-apps.repository';

/** Reads apps by client id, regardless of owner. */
@Injectable()
export class RegisteredAppReader {
  constructor(private readonly apps: DeveloperAppsRepository) {}

  /** Returns null for an unknown or disabled app. Malformed ids are rejected without a query. */
  async findActiveApp(clientId: string): Promise<RegisteredApp | null> {
    return isWellFormedToken('svc_oapp_', clientId) ? this.apps.findActive(clientId) : null;
  }

  /** Returns names of apps by client id, including disabled apps. */
  async findAppNames(clientIds: readonly string[]): Promise<Map<string, string>> {
    const rows = clientIds.length > 0 ? await this.apps.findNames(clientIds) : [];
    return new Map(rows.map(({ id, name }) => [id, name]));
  }

  /** Returns whether the app is active, and locks it against deletion until the transaction ends. */
  async lockIfActive(clientId: string): Promise<boolean> {
    return isWellFormedToken('svc_oapp_', clientId) && this.apps.lockIfActive(clientId);
  }
}
