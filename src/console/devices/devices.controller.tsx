import { Get, Param, Post, Query, Res } from '@nestjs/common';
import type { Response } from 'express';
import { SessionCookie, SessionOnly } from '../../auth';
import { PageQuery } from '../../common/pages';
import { DevicesService, DeviceTokens } from '../../devices';
import { freshForm } from '../forms/form-state';
import { ConsoleController } from '../html/console-controller';
import { CurrentViewer } from '../html/current-viewer';
import { Page, SeeOther } from '../html/page';
import type { Viewer } from '../html/viewer';
import { DeviceList } from './device-list';

/** The devices of the account, and the end of one or of all sessions (console.md, Devices). */
@ConsoleController('console/devices')
export class DevicesPageController {
  constructor(
    private readonly devices: DevicesService,
    private readonly tokens: DeviceTokens,
    private readonly cookie: SessionCookie,
  ) {}

  @Get()
  @SessionOnly()
  async list(@CurrentViewer() viewer: Viewer, @Query() query: PageQuery): Promise<Page> {
    const devices = await this.devices.list(viewer.accountId, query);
    const content = <DeviceList devices={devices} cursor={query.cursor} ownId={viewer.deviceId} code={freshForm()} />;
    return new Page(content, { title: 'Devices', script: 'pairing-code.js' });
  }

  @Post(':id/revoke')
  @SessionOnly()
  async revoke(@CurrentViewer() { accountId }: Viewer, @Param('id') id: string): Promise<SeeOther> {
    await this.devices.revoke(accountId, id);
    return new SeeOther('/console/devices');
  }

  /** The keys stay: whoever has them signs in again. */
  @Post('sign-out-everywhere')
  @SessionOnly()
  async signOutEverywhere(
    @CurrentViewer() { accountId }: Viewer,
    @Res({ passthrough: true }) response: Response,
  ): Promise<SeeOther> {
    await this.tokens.endAll(accountId);
    this.cookie.clear(response);
    return new SeeOther('/console/sign-in');
  }
}
