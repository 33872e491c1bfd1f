import { Get, Param } from '@nestjs/common';
import { BrowserOnly } from '../../../access/auth';
import { SessionsService } from '../../../modules/sessions';
import { DeciderNameReader } from '../approvals/decider-name-reader';
import { getAssetStore } from '../assets/asset-store';
import { ContentApp } from '../components/content-app';
import { PageHead } from '../components/page-head';
import { ConsoleController } from '../html/console-controller';
import { CurrentViewer } from '../html/current-viewer';
import { HtmlPage } from '../html/html-page';
import type { Viewer } from '../html/viewer';
import { ShareTargetReader } from '../sharing/share-target-reader';
import { NEW_SESSION_LINK } from './new-session-link';

/** Pages of coding-agent sessions. The browser reads and decrypts them (docs/guide/console.md#sessions). */
@ConsoleController('console/sessions')
export class SessionsPageController {
  constructor(
    private readonly sessions: SessionsService,
    private readonly shareTargets: ShareTargetReader,
    private readonly deciderNames: DeciderNameReader,
  ) {}

  @Get()
  @BrowserOnly()
  listSessions(): HtmlPage {
    const content = (
      <>
        <PageHead
          heading="Sessions"
          description="What your coding agents work on, decrypted in this browser."
          actionLink={NEW_SESSION_LINK}
        />
        <ContentApp />
      </>
    );
    return new HtmlPage(content, { title: 'Sessions', script: 'sessions.js', stylesheet: 'content.css' });
  }

  @Get('new')
  @BrowserOnly()
  showNewSession(): HtmlPage {
    const content = (
      <>
        <PageHead heading="New session" parentLink={{ path: '/console/sessions', text: 'Sessions' }} />
        <ContentApp />
      </>
    );
    return new HtmlPage(content, { title: 'New session', script: 'new-session.js', stylesheet: 'content.css' });
  }

  /** @throws ApiError 404 */
  @Get(':id')
  @BrowserOnly()
  async showSession(@CurrentViewer() { accountId }: Viewer, @Param('id') id: string): Promise<HtmlPage> {
    await this.sessions.getSessionRoute(accountId, id);
    const [sharing, deciderNames] = await Promise.all([
      this.shareTargets.readTargets(accountId),
      this.deciderNames.readNames(accountId),
    ]);
    const lexerUrl = getAssetStore().getUrl('browser/markdown-lexer.js');
    const content = <ContentApp props={{ sessionId: id, sharing, deciderNames, lexerUrl }} />;
    return new HtmlPage(content, { title: 'Session', script: 'session.js', stylesheet: 'content.css' });
  }
}
