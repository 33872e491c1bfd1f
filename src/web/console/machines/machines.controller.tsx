import { Get, Param } from '@nestjs/common';
import { BrowserOnly } from '../../../access/auth';
import { Config } from '../../../core/config';
import { MachinesService } from '../../../modules/machines';
import { ContentApp } from '../components/content-app';
import { PageHead } from '../components/page-head';
import { ConsoleController } from '../html/console-controller';
import { CurrentViewer } from '../html/current-viewer';
import { HtmlPage } from '../html/html-page';
import type { Viewer } from '../html/viewer';
import { AddMachine } from './add-machine';

/** Pages of machines. The browser starts sessions and commands on them (docs/guide/console.md#machines). */
@ConsoleController('console/machines')
export class MachinesPageController {
  constructor(
    private readonly machines: MachinesService,
    private readonly config: Config,
  ) {}

  @Get()
  @BrowserOnly()
  listMachines(@CurrentViewer() { username }: Viewer): HtmlPage {
    const content = (
      <>
        <PageHead heading="Machines" description="Computers that run your agents and commands." />
        <ContentApp />
        <section class="part card">
          <h2>Add a machine</h2>
          <AddMachine publicUrl={this.config.publicUrl} username={username} />
        </section>
      </>
    );
    return new HtmlPage(content, { title: 'Machines', script: 'machines.js', stylesheet: 'content.css' });
  }

  @Get(':id')
  @BrowserOnly()
  async showMachine(@CurrentViewer() { accountId }: Viewer, @Param('id') id: string): Promise<HtmlPage> {
    const { name } = await this.machines.getMachine(accountId, id);
    const content = (
      <>
        <PageHead heading={name} parentLink={{ path: '/console/machines', text: 'Machines' }} />
        <ContentApp props={{ machineId: id }} />
      </>
    );
    return new HtmlPage(content, { title: name, script: 'machine.js', stylesheet: 'content.css' });
  }
}
