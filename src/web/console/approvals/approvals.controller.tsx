import { Get } from '@nestjs/common';
import { BrowserOnly } from '../../../access/auth';
import { ContentApp } from '../components/content-app';
import { PageHead } from '../components/page-head';
import { ConsoleController } from '../html/console-controller';
import { CurrentViewer } from '../html/current-viewer';
import { HtmlPage } from '../html/html-page';
import type { Viewer } from '../html/viewer';
import { DeciderNameReader } from './decider-name-reader';

/** Page of what agents ask. The browser decrypts it and decides (docs/guide/console.md#approvals). */
@ConsoleController('console/approvals')
export class ApprovalsPageController {
  constructor(private readonly deciderNames: DeciderNameReader) {}

  @Get()
  @BrowserOnly()
  async listApprovals(@CurrentViewer() { accountId }: Viewer): Promise<HtmlPage> {
    const deciderNames = await this.deciderNames.readNames(accountId);
    const content = (
      <>
        <PageHead
          heading="Approvals"
          description="What your agents ask before they do it, decrypted in this browser."
        />
        <ContentApp props={{ deciderNames }} />
      </>
    );
    return new HtmlPage(content, { title: 'Approvals', script: 'approvals.js', stylesheet: 'content.css' });
  }
}
