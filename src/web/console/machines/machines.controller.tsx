import { Get, Param } from '@nestjs/common';
import { BrowserOnly } from '../../../access/auth';
import { Config } from '../../../core/config';
import { MachinesService } from '../../../modules/machines';
import { ContentApp } from '../components/content-app';
import { Copyable } from '../components/copyable';
import { PageHead } from '../components/page-head';
import { ConsoleController } from '../html/console-controller';
import { CurrentViewer } from '../html/current-viewer';
import { HtmlPage } from '../html/html-page';
import type { Viewer } from '../html/viewer';

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
        <AddMachine publicUrl={this.config.publicUrl} username={username} />
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

function AddMachine({ publicUrl, username }: { publicUrl: string; username: string }) {
  const command = `npm run device -- machine --url ${publicUrl} --account ${username}`;
  return (
    <section class="part card">
      <h2>Add a machine</h2>
      <p>Run this on the computer, in a checkout of the service with its packages installed:</p>
      <Copyable isBlock label="Command that adds a machine" text={command} />
      <p>To let a coding agent work there, name its command:</p>
      <Copyable isBlock label="Command with an agent" text={`${command} --agent 'opencode acp'`} />
      <p>
        The computer shows a code and a fingerprint. Enter the code under <a href="/console/devices">Devices</a>,
        compare the fingerprint, and approve. The machine then appears here.
      </p>
    </section>
  );
}
