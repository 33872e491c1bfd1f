import { Get } from '@nestjs/common';
import { SessionOnly } from '../../auth';
import { ConsoleController } from '../html/console-controller';
import { CurrentViewer } from '../html/current-viewer';
import { Page } from '../html/page';
import type { Viewer } from '../html/viewer';
import { Home } from './home';

/** The console's first page, where a sign-in leads that came from nowhere else. */
@ConsoleController('console')
export class HomeController {
  @Get()
  @SessionOnly()
  home(@CurrentViewer() viewer: Viewer): Page {
    return new Page(<Home viewer={viewer} />, { title: 'Console' });
  }
}
