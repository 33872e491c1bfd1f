import { Get, Query } from '@nestjs/common';
import { SessionOnly } from '../../auth';
import { PageQuery } from '../../common/pages';
import { Config } from '../../config';
import { RelayActivity } from '../../relay';
import { ConsoleController } from '../html/console-controller';
import { CurrentViewer } from '../html/current-viewer';
import { Page } from '../html/page';
import type { Viewer } from '../html/viewer';
import { ActivityPage } from './activity-page';

/** Relayed calls, never their content (console.md, Activity). */
@ConsoleController('console/activity')
export class ActivityController {
  constructor(
    private readonly activity: RelayActivity,
    private readonly config: Config,
  ) {}

  @Get()
  @SessionOnly()
  async list(@CurrentViewer() { accountId }: Viewer, @Query() query: PageQuery): Promise<Page> {
    const calls = await this.activity.list(accountId, query);
    const content = <ActivityPage calls={calls} cursor={query.cursor} publicUrl={this.config.publicUrl} />;
    return new Page(content, { title: 'Activity' });
  }
}
