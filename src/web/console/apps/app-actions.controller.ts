import { Param, Post } from '@nestjs/common';
import { BrowserOnly } from '../../../access/auth';
import { DeveloperAppsService } from '../../../modules/developer-apps';
import { ConsoleController } from '../html/console-controller';
import { CurrentViewer } from '../html/current-viewer';
import { SeeOther } from '../html/html-page';
import type { Viewer } from '../html/viewer';

/** Actions on an app as a whole (docs/guide/console.md#apps). */
@ConsoleController('console/apps/:clientId')
export class AppActionsController {
  constructor(private readonly apps: DeveloperAppsService) {}

  @Post('disable')
  @BrowserOnly()
  async disableApp(@CurrentViewer() { accountId }: Viewer, @Param('clientId') id: string): Promise<SeeOther> {
    await this.apps.setDeveloperAppState(accountId, id, 'disabled');
    return new SeeOther(`/console/apps/${id}`);
  }

  @Post('enable')
  @BrowserOnly()
  async enableApp(@CurrentViewer() { accountId }: Viewer, @Param('clientId') id: string): Promise<SeeOther> {
    await this.apps.setDeveloperAppState(accountId, id, 'active');
    return new SeeOther(`/console/apps/${id}`);
  }

  @Post('revoke-all')
  @BrowserOnly()
  async revokeAllAuthorizations(
    @CurrentViewer() { accountId }: Viewer,
    @Param('clientId') id: string,
  ): Promise<SeeOther> {
    await this.apps.revokeAllAuthorizations(accountId, id);
    return new SeeOther(`/console/apps/${id}`);
  }

  @Post('delete')
  @BrowserOnly()
  async deleteApp(@CurrentViewer() { accountId }: Viewer, @Param('clientId') id: string): Promise<SeeOther> {
    await this.apps.deleteDeveloperApp(accountId, id);
    return new SeeOther('/console/apps');
  }
}
