import { Get, Param } from '@nestjs/common';
import { BrowserOnly } from '../../../access/auth';
import { MAX_PAGE_SIZE } from '../../../common/pages';
import { Config } from '../../../core/config';
import { AuthorizedAppsService } from '../../../modules/developer-apps';
import { DevicesService } from '../../../modules/devices';
import { MachinesService } from '../../../modules/machines';
import { PersonalAccessTokensService } from '../../../modules/personal-access-tokens';
import { DangerZone } from '../components/confirm-action';
import { ContentApp } from '../components/content-app';
import { PageHead } from '../components/page-head';
import { RevokeDevice } from '../devices/device-list';
import { RenameInPlace } from '../forms/rename-in-place';
import { ConsoleController } from '../html/console-controller';
import { CurrentViewer } from '../html/current-viewer';
import { HtmlPage } from '../html/html-page';
import type { Viewer } from '../html/viewer';
import { AddMachine } from './add-machine';
import { listMachineUsers, MachineUsers } from './machine-users';

/** Pages of machines. The browser starts sessions and commands on them (docs/guide/console.md#machines). */
@ConsoleController('console/machines')
export class MachinesPageController {
  constructor(
    private readonly machines: MachinesService,
    private readonly devices: DevicesService,
    private readonly tokens: PersonalAccessTokensService,
    private readonly apps: AuthorizedAppsService,
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
    const [device, tokens, apps] = await Promise.all([
      this.machines.getDeviceId(accountId, id).then((deviceId) => this.devices.getDevice(accountId, deviceId)),
      this.tokens.listActiveTokens(accountId, MAX_PAGE_SIZE),
      this.apps.listAuthorizedApps(accountId, { limit: MAX_PAGE_SIZE }),
    ]);
    const content = (
      <>
        <PageHead heading={name} parentLink={{ path: '/console/machines', text: 'Machines' }} />
        <ContentApp props={{ machineId: id }} />
        <MachineUsers users={listMachineUsers(id, tokens, apps.data)} />
        {device.state !== 'revoked' && (
          <section class="acts" aria-label="Change">
            <RenameInPlace
              name={name}
              action={`/console/devices/${device.id}/rename`}
              returnPath={`/console/machines/${id}`}
            />
          </section>
        )}
        <DangerZone>
          <RevokeDevice device={device} isOwn={false} returnPath="/console/machines" />
        </DangerZone>
      </>
    );
    return new HtmlPage(content, { title: name, script: 'machine.js', stylesheet: 'content.css' });
  }
}
