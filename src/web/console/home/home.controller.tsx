import { Get, Req } from '@nestjs/common';
import type { Request } from 'express';
import { BrowserOnly } from '../../../access/auth';
import { Config } from '../../../core/config';
import { ConsoleController } from '../html/console-controller';
import { CurrentViewer } from '../html/current-viewer';
import { HtmlPage } from '../html/html-page';
import type { Viewer } from '../html/viewer';
import { AccountOverviewReader } from './account-overview-reader';
import { FIRST_STEPS_COOKIE, HomePage } from './home-page';

/** Home page of the console, the default target of a sign-in (docs/guide/console.md#home). */
@ConsoleController('console')
export class HomeController {
  constructor(
    private readonly overviewReader: AccountOverviewReader,
    private readonly config: Config,
  ) {}

  @Get()
  @BrowserOnly()
  async showHome(@CurrentViewer() viewer: Viewer, @Req() request: Request): Promise<HtmlPage> {
    const overview = await this.overviewReader.readOverview(viewer.accountId);
    const contentAssets = overview.machines.total > 0 ? { script: 'home.js' } : {};
    const content = (
      <HomePage
        viewer={viewer}
        overview={overview}
        publicUrl={this.config.publicUrl}
        hasDismissedSteps={hasCookie(request, FIRST_STEPS_COOKIE)}
      />
    );
    return new HtmlPage(content, {
      title: 'Console',
      stylesheet: 'content.css',
      ...contentAssets,
    });
  }
}

const hasCookie = ({ headers }: Request, name: string): boolean =>
  (headers.cookie ?? '').split(';').some((pair) => pair.trim().startsWith(`${name}=`));
