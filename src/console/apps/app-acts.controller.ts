import { Param, Post } from '@nestjs/common';
import { SessionOnly } from '../../auth';
import { DeveloperAppsService } from '../../developer-apps';
import { ConsoleController } from '../html/console-controller';
import { CurrentViewer } from '../html/current-viewer';
import { SeeOther } from '../html/page';
import type { Viewer } from '../html/viewer';

/** What the page of an app does with it as a whole (console.md, Apps). */
@ConsoleController('console/apps/:clientId')
export class AppActsController {
  constructor(private readonly apps: DeveloperAppsService) {}

  @Post('disable')
  @SessionOnly()
  async disable(@CurrentViewer() { accountId }: Viewer, @Param('clientId') id: string): Promise<SeeOther> {
    await this.apps.setState(accountId, id, 'disabled');
    return new SeeOther(`/console/apps/${id}`);
  }

  @Post('enable')
  @SessionOnly()
  async enable(@CurrentViewer() { accountId }: Viewer, @Param('clientId') id: string): Promise<SeeOther> {
    await this.apps.setState(accountId, id, 'active');
    return new SeeOther(`/console/apps/${id}`);
  }

  @Post('revoke-all')
  @SessionOnly()
  async revokeAll(@CurrentViewer() { accountId }: Viewer, @Param('clientId') id: string): Promise<SeeOther> {
    await this.apps.revokeAll(accountId, id);
    return new SeeOther(`/console/apps/${id}`);
  }

  @Post('delete')
  @SessionOnly()
  async delete(@CurrentViewer() { accountId }: Viewer, @Param('clientId') id: string): Promise<SeeOther> {
    await this.apps.delete(accountId, id);
    return new SeeOther('/console/apps');
  }
}
