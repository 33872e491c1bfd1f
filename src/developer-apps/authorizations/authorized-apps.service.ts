import { Injectable } from '@nestjs/common';
import { notFound } from '../../common/errors';
import { mapPage, type Page, type PageQuery } from '../../common/pages';
import { AppAuthorizations } from './app-authorizations';
import { AppAuthorizationsRepository } from './app-authorizations.repository';
import { toAuthorizedAppRecord, type AuthorizedAppRecord } from './authorized-app-record';

/** Apps that may act for a person, for that person. */
@Injectable()
export class AuthorizedAppsService {
  constructor(
    private readonly rows: AppAuthorizationsRepository,
    private readonly authorizations: AppAuthorizations,
  ) {}

  async list(accountId: string, query: PageQuery): Promise<Page<AuthorizedAppRecord>> {
    return mapPage(await this.rows.page(accountId, query), toAuthorizedAppRecord);
  }

  /** @throws ApiError 404 */
  async revoke(accountId: string, clientId: string): Promise<void> {
    if (!(await this.authorizations.end(accountId, clientId))) throw notFound('authorized app');
  }
}
