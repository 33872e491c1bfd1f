import { Injectable, type OnModuleInit } from '@nestjs/common';
import { AccountExporter, AccountRevocationRegistry } from '../../accounts';
import { notFoundError } from '../../../common/errors';
import { mapPage, type Page, type PageQueryDto } from '../../../common/pages';
import { AppAuthorizationsService } from './app-authorizations.service';
import { AppAuthorizationsRepository } from './app-authorizations.repository';
import { toAuthorizedAppDto, type AuthorizedAppDto } from './authorized-app.response.dto';

/** Apps that an account has authorized. */
@Injectable()
export class AuthorizedAppsService implements OnModuleInit {
  constructor(
    private readonly authorizationsRepository: AppAuthorizationsRepository,
    private readonly authorizations: AppAuthorizationsService,
    private readonly accountExporter: AccountExporter,
    private readonly accountRevocations: AccountRevocationRegistry,
  ) {}

  onModuleInit(): void {
    this.accountExporter.registerSection({
      name: 'authorizedApps',
      scanRows: (accountId) => this.authorizationsRepository.scanByAccount(accountId),
      toRecord: toAuthorizedAppDto,
    });
    this.accountRevocations.registerRevocationStep((accountId) =>
      this.authorizationsRepository.deleteAllByAccount(accountId),
    );
  }

  async listAuthorizedApps(accountId: string, query: PageQueryDto): Promise<Page<AuthorizedAppDto>> {
    return mapPage(await this.authorizationsRepository.findPage(accountId, query), toAuthorizedAppDto);
  }

  /** @throws ApiError 404 */
  async getAuthorizedApp(accountId: string, clientId: string): Promise<AuthorizedAppDto> {
    const row = await this.authorizationsRepository.find(accountId, clientId);
    if (!row) throw notFoundError('authorized app');
    return toAuthorizedAppDto(row);
  }

  /** @throws ApiError 404 */
  async revokeAuthorizedApp(accountId: string, clientId: string): Promise<void> {
    if (!(await this.authorizations.revokeAuthorization(accountId, clientId))) throw notFoundError('authorized app');
  }
}
