import { Get, Param } from '@nestjs/common';
import { BrowserOnly } from '../../../access/auth';
import { notFoundError } from '../../../common/errors';
import { isWellFormedId } from '../../../common/ids';
import { ContentApp } from '../components/content-app';
import { PageHead } from '../components/page-head';
import { ConsoleController } from '../html/console-controller';
import { CurrentViewer } from '../html/current-viewer';
import { HtmlPage } from '../html/html-page';
import type { Viewer } from '../html/viewer';
import { ShareTargetReader } from '../sharing/share-target-reader';

/** Pages of artifacts. The browser reads and decrypts them (docs/guide/console.md#artifacts). */
@ConsoleController('console/artifacts')
export class ArtifactsPageController {
  constructor(private readonly shareTargets: ShareTargetReader) {}

  @Get()
  @BrowserOnly()
  listArtifacts(): HtmlPage {
    const content = (
      <>
        <PageHead heading="Artifacts" description="Files of your sessions, such as the changes of a turn." />
        <ContentApp />
      </>
    );
    return new HtmlPage(content, { title: 'Artifacts', script: 'artifacts.js', stylesheet: 'content.css' });
  }

  /** The browser finds out whether the artifact exists. */
  @Get(':id')
  @BrowserOnly()
  async showArtifact(@CurrentViewer() { accountId }: Viewer, @Param('id') id: string): Promise<HtmlPage> {
    if (!isWellFormedId('art', id)) throw notFoundError('artifact');
    const sharing = await this.shareTargets.readTargets(accountId);
    return new HtmlPage(<ContentApp props={{ artifactId: id, sharing }} />, {
      title: 'Artifact',
      script: 'artifact.js',
      stylesheet: 'content.css',
      hasPreviews: true,
    });
  }
}
