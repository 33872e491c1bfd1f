import { Get, Param, Post, Query } from '@nestjs/common';
import { SessionOnly } from '../../auth';
import { PageQuery } from '../../common/pages';
import { AuthorizedAppsService } from '../../developer-apps';
import { ConsoleController } from '../html/console-controller';
import { CurrentViewer } from '../html/current-viewer';
import { Page, SeeOther } from '../html/page';
import type { Viewer } from '../html/viewer';
import { AuthorizedApps } from './authorized-apps';

/** What may act for a person, and the end of it (console.md, Authorized apps). */
@ConsoleController('console/authorized-apps')
export class AuthorizedAppsPageController {
  constructor(private readonly apps: AuthorizedAppsService) {}

  @Get()
  @SessionOnly()
  async list(@CurrentViewer() { accountId }: Viewer, @Query() query: PageQuery): Promise<Page> {
    const apps = await this.apps.list(accountId, query);
    return new Page(<AuthorizedApps apps={apps} cursor={query.cursor} />, { title: 'Authorized apps' });
  }

  @Post(':clientId/revoke')
  @SessionOnly()
  async revoke(@CurrentViewer() { accountId }: Viewer, @Param('clientId') clientId: string): Promise<SeeOther> {
    await this.apps.revoke(accountId, clientId);
    return new SeeOther('/console/authorized-apps');
  }
}
