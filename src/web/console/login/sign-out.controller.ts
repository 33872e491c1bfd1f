import { Post, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { LoginCookie, BrowserOnly } from '../../../access/auth';
import { DeviceTokenService } from '../../../modules/devices';
import { PushSubscriptionsService } from '../../../modules/push-subscriptions';
import { ConsoleController } from '../html/console-controller';
import { CurrentViewer } from '../html/current-viewer';
import { SeeOther } from '../html/html-page';
import type { Viewer } from '../html/viewer';

/** Deletes the browser login and its notifications. The browser keeps its device keys and can sign in again. */
@ConsoleController('console/sign-out')
export class SignOutController {
  constructor(
    private readonly deviceTokens: DeviceTokenService,
    private readonly loginCookie: LoginCookie,
    private readonly pushSubscriptions: PushSubscriptionsService,
  ) {}

  @Post()
  @BrowserOnly()
  async signOut(
    @CurrentViewer() { deviceId }: Viewer,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<SeeOther> {
    await this.pushSubscriptions.deleteOfDevice(deviceId);
    await this.deviceTokens.revokeToken(this.loginCookie.readToken(request)!);
    this.loginCookie.clearToken(response);
    return new SeeOther('/console/sign-in');
  }
}
