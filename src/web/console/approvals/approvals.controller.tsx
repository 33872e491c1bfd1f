import { Get } from '@nestjs/common';
import { BrowserOnly } from '../../../access/auth';
import { ContentApp } from '../components/content-app';
import { PageHead } from '../components/page-head';
import { ConsoleController } from '../html/console-controller';
import { HtmlPage } from '../html/html-page';

/** Page of what agents ask. The browser decrypts it and decides (docs/guide/console.md#approvals). */
@ConsoleController('console/approvals')
export class ApprovalsPageController {
  @Get()
  @BrowserOnly()
  listApprovals(): HtmlPage {
    const content = (
      <>
        <PageHead
          heading="Approvals"
          description="What your agents ask before they do it, decrypted in this browser."
        />
        <ContentApp />
      </>
    );
    return new HtmlPage(content, { title: 'Approvals', script: 'approvals.js', stylesheet: 'content.css' });
  }
}
