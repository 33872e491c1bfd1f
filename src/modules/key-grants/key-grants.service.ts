import { Injectable, type OnModuleInit } from '@nestjs/common';
import { AccountExporter } from '../accounts';
import { AuditRecorder } from '../../access/audit';
import type { DevicePrincipal } from '../../access/auth';
import { Clock } from '../../common/clock';
import { notFoundError } from '../../common/errors';
import { mapPage, type Page, type PageQueryDto } from '../../common/pages';
import { AppAuthorizationsService } from '../developer-apps';
import { EventPublisher } from '../../core/events';
import { UnitOfWork } from '../../core/database';
import { GrantResourceAuthorizer } from './grant-resource-authorizer';
import { toKeyGrantDto, type KeyGrantDto, type KeyGrantRow } from './key-grant.response.dto';
import { KeyGrantsRepository, type GrantedResource } from './key-grants.repository';

@Injectable()
export class KeyGrantsService implements OnModuleInit {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly grants: KeyGrantsRepository,
    private readonly grantResourceAuthorizer: GrantResourceAuthorizer,
    private readonly eventPublisher: EventPublisher,
    private readonly clock: Clock,
    private readonly authorizations: AppAuthorizationsService,
    private readonly accountExporter: AccountExporter,
    private readonly auditRecorder: AuditRecorder,
  ) {}

  onModuleInit(): void {
    this.authorizations.onRevocation((appId, accountIds) => this.revokeGrantsOfApp(appId, accountIds));
    this.accountExporter.registerSection({
      name: 'keyGrants',
      scanRows: (accountId) => this.grants.scanByAccount(accountId),
      toRecord: toKeyGrantDto,
    });
  }

  /** Lists active grants. @throws ApiError 404, 403 */
  async listKeyGrants(
    device: DevicePrincipal,
    resource: GrantedResource,
    query: PageQueryDto,
  ): Promise<Page<KeyGrantDto>> {
    await this.grantResourceAuthorizer.requireAccess(device, resource);
    const page = await this.grants.findActivePage(device.accountId, resource, this.clock.currentDate(), query);
    return mapPage(page, toKeyGrantDto);
  }

  /** Revokes a grant. Reads in progress check again before they respond. @throws ApiError 404, 403 */
  async revokeKeyGrant(device: DevicePrincipal, resource: GrantedResource, id: string): Promise<void> {
    await this.grantResourceAuthorizer.requireAccess(device, resource);
    await this.unitOfWork.runInTransaction(async () => {
      const row = await this.grants.delete(device.accountId, resource, id);
      if (!row) throw notFoundError('key grant');
      this.publishRevokedEvent(row);
      const { accountId } = device;
      await this.auditRecorder.recordActs({ act: 'key_grant.revoked', accountId, targetId: id });
    });
  }

  /** Deletes grants when an authorization is revoked. A later authorization does not restore them. */
  private async revokeGrantsOfApp(appId: string, accountIds: string[]): Promise<void> {
    for (const row of await this.grants.deleteByApp(appId, accountIds)) this.publishRevokedEvent(row);
  }

  private publishRevokedEvent(row: KeyGrantRow): void {
    this.eventPublisher.publishEvent({
      type: 'key_grant.revoked',
      accountId: row.account_id,
      data: toKeyGrantDto(row),
    });
  }
}
