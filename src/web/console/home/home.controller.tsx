import { Get } from '@nestjs/common';
import { BrowserOnly } from '../../../access/auth';
import { ConsoleController } from '../html/console-controller';
import { CurrentViewer } from '../html/current-viewer';
import { HtmlPage } from '../html/html-page';
import type { Viewer } from '../html/viewer';

/** Home page of the console, the default target of a sign-in. */
@ConsoleController('console')
export class HomeController {
  @Get()
  @BrowserOnly()
  showHome(@CurrentViewer() viewer: Viewer): HtmlPage {
    return new HtmlPage(<HomePage viewer={viewer} />, { title: 'Console' });
  }
}

function HomePage({ viewer }: { viewer: Viewer }) {
  return (
    <section class="card">
      <h1>{`Signed in as ${viewer.username}`}</h1>
      <p>
        This browser is a device of your account. There is no password: the browser signs you in with keys that never
        leave it.
      </p>
      <dl class="facts">
        <dt>Account</dt>
        <dd>
          <code>{viewer.accountId}</code>
        </dd>
        <dt>This browser</dt>
        <dd>
          <code>{viewer.deviceId}</code>
        </dd>
      </dl>
      <p>
        New here? <a href="/docs/getting-started">Getting started</a> walks you through your first call in five minutes.
      </p>
    </section>
  );
}
