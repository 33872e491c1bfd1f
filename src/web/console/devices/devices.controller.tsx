import { Get, Param, Post, Query, Res } from '@nestjs/common';
import type { Response } from 'express';
import { LoginCookie, BrowserOnly } from '../../../access/auth';
import { PageQueryDto } from '../../../common/pages';
import { DevicesService, DeviceTokenService } from '../../../modules/devices';
import { createFormState } from '../forms/form-state';
import { ConsoleController } from '../html/console-controller';
import { CurrentViewer } from '../html/current-viewer';
import { HtmlPage, SeeOther } from '../html/html-page';
import type { Viewer } from '../html/viewer';
import { DeviceList } from './device-list';

/** Lists and revokes devices and signs out everywhere (docs/guide/console.md#devices-and-activity). */
@ConsoleController('console/devices')
export class DevicesPageController {
  constructor(
    private readonly devices: DevicesService,
    private readonly deviceTokens: DeviceTokenService,
    private readonly loginCookie: LoginCookie,
  ) {}

  @Get()
  @BrowserOnly()
  async listDevices(@CurrentViewer() viewer: Viewer, @Query() query: PageQueryDto): Promise<HtmlPage> {
    const devices = await this.devices.listDevices(viewer.accountId, query);
    const content = (
      <DeviceList
        devices={devices}
        cursor={query.cursor}
        currentDeviceId={viewer.deviceId}
        codeForm={createFormState()}
      />
    );
    return new HtmlPage(content, { title: 'Devices', script: 'pairing-code.js' });
  }

  @Post(':id/revoke')
  @BrowserOnly()
  async revokeDevice(@CurrentViewer() { accountId }: Viewer, @Param('id') id: string): Promise<SeeOther> {
    await this.devices.revokeDevice(accountId, id);
    return new SeeOther('/console/devices');
  }

  /** Revokes all device tokens. The devices keep their keys and can sign in again. */
  @Post('sign-out-everywhere')
  @BrowserOnly()
  async signOutEverywhere(
    @CurrentViewer() { accountId }: Viewer,
    @Res({ passthrough: true }) response: Response,
  ): Promise<SeeOther> {
    await this.deviceTokens.revokeAccountTokens(accountId);
    this.loginCookie.clearToken(response);
    return new SeeOther('/console/sign-in');
  }
}
