import { Injectable } from '@nestjs/common';
import type { DevicePrincipal } from '../auth';
import { Clock } from '../common/clock';
import { notFound } from '../common/errors';
import { mapPage, type Page, type PageQuery } from '../common/pages';
import { AppAuthorizations } from '../developer-apps';
import { Changes } from '../events';
import { UnitOfWork } from '../persistence';
import { GrantedResources } from './granted-resources';
import { toKeyGrantRecord, type KeyGrantRecord, type KeyGrantRow } from './key-grant-record';
import { KeyGrantsRepository, type GrantedResource } from './key-grants.repository';

@Injectable()
export class KeyGrantsService {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly grants: KeyGrantsRepository,
    private readonly resources: GrantedResources,
    private readonly changes: Changes,
    private readonly clock: Clock,
    authorizations: AppAuthorizations,
  ) {
    authorizations.onEnd((appId, accountIds) => this.endOfApp(appId, accountIds));
  }

  /** Those that stand. @throws ApiError 404, 403 */
  async list(device: DevicePrincipal, resource: GrantedResource, query: PageQuery): Promise<Page<KeyGrantRecord>> {
    await this.resources.require(device, resource);
    const page = await this.grants.page(device.accountId, resource, this.clock.date(), query);
    return mapPage(page, toKeyGrantRecord);
  }

  /** A read that is on its way finds it gone before it answers. @throws ApiError 404, 403 */
  async revoke(device: DevicePrincipal, resource: GrantedResource, id: string): Promise<void> {
    await this.resources.require(device, resource);
    await this.unitOfWork.run(async () => {
      const row = await this.grants.delete(device.accountId, resource, id);
      if (!row) throw notFound('key grant');
      this.tellRevoked(row);
    });
  }

  /** An app that may no longer act for an account reads nothing of it, also when it may again one day. */
  private async endOfApp(appId: string, accountIds: string[]): Promise<void> {
    for (const row of await this.grants.deleteOfApp(appId, accountIds)) this.tellRevoked(row);
  }

  private tellRevoked(row: KeyGrantRow): void {
    this.changes.publish({
      type: 'key_grant.revoked',
      accountId: row.account_id,
      data: toKeyGrantRecord(row),
    });
  }
}
