import { Get, Param, Post, Query } from '@nestjs/common';
import { BrowserOnly } from '../../../access/auth';
import { PageQueryDto } from '../../../common/pages';
import { AuthorizedAppsService } from '../../../modules/developer-apps';
import { ConsoleController } from '../html/console-controller';
import { CurrentViewer } from '../html/current-viewer';
import { HtmlPage, SeeOther } from '../html/html-page';
import type { Viewer } from '../html/viewer';
import { AuthorizedAppsPage } from './authorized-apps-page';

/** Lists and revokes apps that may act for the user (docs/guide/console.md#authorized-apps). */
@ConsoleController('console/authorized-apps')
export class AuthorizedAppsPageController {
  constructor(private readonly apps: AuthorizedAppsService) {}

  @Get()
  @BrowserOnly()
  async listAuthorizedApps(@CurrentViewer() { accountId }: Viewer, @Query() query: PageQueryDto): Promise<HtmlPage> {
    const apps = await this.apps.listAuthorizedApps(accountId, query);
    return new HtmlPage(<AuthorizedAppsPage apps={apps} cursor={query.cursor} />, {
      title: 'Authorized apps',
    });
  }

  @Post(':clientId/revoke')
  @BrowserOnly()
  async revokeApp(@CurrentViewer() { accountId }: Viewer, @Param('clientId') clientId: string): Promise<SeeOther> {
    await this.apps.revokeAuthorizedApp(accountId, clientId);
    return new SeeOther('/console/authorized-apps');
  }
}
