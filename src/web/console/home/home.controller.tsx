import { Get } from '@nestjs/common';
import { BrowserOnly } from '../../../access/auth';
import { ConsoleController } from '../html/console-controller';
import { CurrentViewer } from '../html/current-viewer';
import { HtmlPage } from '../html/html-page';
import type { Viewer } from '../html/viewer';
import { AccountOverviewReader } from './account-overview-reader';
import { HomePage } from './home-page';

/** Home page of the console, the default target of a sign-in (docs/guide/console.md#home). */
@ConsoleController('console')
export class HomeController {
  constructor(private readonly overviewReader: AccountOverviewReader) {}

  @Get()
  @BrowserOnly()
  async showHome(@CurrentViewer() viewer: Viewer): Promise<HtmlPage> {
    const overview = await this.overviewReader.readOverview(viewer.accountId);
    const contentAssets = overview.machines.total > 0 ? { script: 'home.js' } : {};
    return new HtmlPage(<HomePage viewer={viewer} overview={overview} />, {
      title: 'Console',
      stylesheet: 'content.css',
      ...contentAssets,
    });
  }
}
