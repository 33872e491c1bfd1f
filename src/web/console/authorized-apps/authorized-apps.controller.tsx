import { Get, Param, Post, Query } from '@nestjs/common';
import { BrowserOnly } from '../../../access/auth';
import { PageQueryDto } from '../../../common/pages';
import { Config } from '../../../core/config';
import { AuthorizedAppsService } from '../../../modules/developer-apps';
import { ConsoleController } from '../html/console-controller';
import { CurrentViewer } from '../html/current-viewer';
import { HtmlPage, SeeOther } from '../html/html-page';
import type { Viewer } from '../html/viewer';
import { AuthorizedAppsPage, ShareWithAppPage } from './authorized-apps-page';

/** Lists and revokes apps that may act for the user (docs/guide/console.md#authorized-apps). */
@ConsoleController('console/authorized-apps')
export class AuthorizedAppsPageController {
  constructor(
    private readonly apps: AuthorizedAppsService,
    private readonly config: Config,
  ) {}

  @Get()
  @BrowserOnly()
  async listAuthorizedApps(@CurrentViewer() { accountId }: Viewer, @Query() query: PageQueryDto): Promise<HtmlPage> {
    const apps = await this.apps.listAuthorizedApps(accountId, query);
    return new HtmlPage(<AuthorizedAppsPage apps={apps} cursor={query.cursor} />, {
      title: 'Authorized apps',
    });
  }

  @Get(':clientId/share')
  @BrowserOnly()
  async showSharing(@CurrentViewer() { accountId }: Viewer, @Param('clientId') clientId: string): Promise<HtmlPage> {
    const app = await this.apps.getAuthorizedApp(accountId, clientId);
    return new HtmlPage(<ShareWithAppPage app={app} publicUrl={this.config.publicUrl} />, {
      title: 'Share sessions',
      script: 'share-sessions.js',
      stylesheet: 'content.css',
    });
  }

  @Post(':clientId/revoke')
  @BrowserOnly()
  async revokeApp(@CurrentViewer() { accountId }: Viewer, @Param('clientId') clientId: string): Promise<SeeOther> {
    await this.apps.revokeAuthorizedApp(accountId, clientId);
    return new SeeOther('/console/authorized-apps');
  }
}
