import { Body, Get, Param, Post, Query, Res } from '@nestjs/common';
import type { Response } from 'express';
import { LoginCookie, BrowserOnly } from '../../../access/auth';
import { Clock } from '../../../common/clock';
import { DevicesService, DeviceTokenService, RenameDeviceDto } from '../../../modules/devices';
import { createFormState, getFormText, toRejectedForm, type FormState } from '../forms/form-state';
import { parseFormDto } from '../forms/parse-form-dto';
import { renderRenamePage } from '../forms/rename-page';
import { ConsoleController } from '../html/console-controller';
import { CurrentViewer } from '../html/current-viewer';
import { HtmlPage, SeeOther } from '../html/html-page';
import type { FormFields } from '../html/read-page-form';
import type { Viewer } from '../html/viewer';
import { sanitizeReturnPath } from '../login/return-path';
import { DeviceList } from './device-list';
import { DevicesPageQueryDto } from './devices-page-query.dto';

/** Lists, renames and revokes devices and signs out everywhere (docs/guide/console.md#devices-and-activity). */
@ConsoleController('console/devices')
export class DevicesPageController {
  constructor(
    private readonly devices: DevicesService,
    private readonly deviceTokens: DeviceTokenService,
    private readonly loginCookie: LoginCookie,
    private readonly clock: Clock,
  ) {}

  @Get()
  @BrowserOnly()
  async listDevices(@CurrentViewer() viewer: Viewer, @Query() query: DevicesPageQueryDto): Promise<HtmlPage> {
    const devices = await this.devices.listDevices(viewer.accountId, query);
    const content = (
      <DeviceList
        devices={devices}
        recoveryKeys={await this.devices.listRecoveryKeys(viewer.accountId)}
        cursor={query.cursor}
        currentDeviceId={viewer.deviceId}
        codeForm={createFormState(query.code === undefined ? {} : { code: query.code })}
        now={this.clock.now()}
      />
    );
    return new HtmlPage(content, { title: 'Devices', script: 'pairing-code.js' });
  }

  @Post(':id/rename')
  @BrowserOnly()
  async renameDevice(
    @CurrentViewer() { accountId }: Viewer,
    @Param('id') id: string,
    @Body() form: FormFields,
  ): Promise<HtmlPage | SeeOther> {
    const { name } = await this.devices.getDevice(accountId, id);
    try {
      const changes = await parseFormDto(RenameDeviceDto, { name: getFormText(form, 'name') });
      await this.devices.renameDevice(accountId, id, changes.name);
      return new SeeOther(getReturnPath(form));
    } catch (error) {
      return renderRenameDevicePage(id, name, toRejectedForm(form, error), getReturnPath(form));
    }
  }

  @Post(':id/revoke')
  @BrowserOnly()
  async revokeDevice(
    @CurrentViewer() { accountId, deviceId }: Viewer,
    @Param('id') id: string,
    @Body() form: FormFields,
    @Res({ passthrough: true }) response: Response,
  ): Promise<SeeOther> {
    await this.devices.revokeDevice(accountId, id);
    if (id !== deviceId) return new SeeOther(getReturnPath(form));
    this.loginCookie.clearToken(response);
    return new SeeOther(`/console/sign-in?revoked=${id}`);
  }

  /** Revokes all device tokens, which ends the notifications. The devices keep their keys and can sign in again. */
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

/** Returns the page that has shown the form. */
function getReturnPath(form: FormFields): string {
  return sanitizeReturnPath(getFormText(form, 'return') ?? '/console/devices');
}

function renderRenameDevicePage(id: string, name: string, form: FormState, returnPath: string): HtmlPage {
  const parentLink = { path: returnPath, text: returnPath === '/console/devices' ? 'Devices' : 'Machine' };
  return renderRenamePage({ form, name, parentLink, action: `/console/devices/${id}/rename` });
}
