import { Get, Query } from '@nestjs/common';
import { BrowserOnly } from '../../../access/auth';
import { PageQueryDto } from '../../../common/pages';
import { Config } from '../../../core/config';
import { RelayActivityService } from '../../../modules/relay';
import { ConsoleController } from '../html/console-controller';
import { CurrentViewer } from '../html/current-viewer';
import { HtmlPage } from '../html/html-page';
import type { Viewer } from '../html/viewer';
import { ActivityPage } from './activity-page';

/** Lists relayed calls without their content (docs/guide/console.md#devices-and-activity). */
@ConsoleController('console/activity')
export class ActivityController {
  constructor(
    private readonly activity: RelayActivityService,
    private readonly config: Config,
  ) {}

  @Get()
  @BrowserOnly()
  async listActivity(@CurrentViewer() { accountId }: Viewer, @Query() query: PageQueryDto): Promise<HtmlPage> {
    const calls = await this.activity.listActivity(accountId, query);
    const content = <ActivityPage calls={calls} cursor={query.cursor} publicUrl={this.config.publicUrl} />;
    return new HtmlPage(content, { title: 'Activity' });
  }
}
