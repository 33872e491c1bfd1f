import { Post, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { LoginCookie, BrowserOnly } from '../../../access/auth';
import { DeviceTokenService } from '../../../modules/devices';
import { ConsoleController } from '../html/console-controller';
import { SeeOther } from '../html/html-page';

/** Deletes the browser login, which ends its notifications. The browser keeps its device keys and can sign in again. */
@ConsoleController('console/sign-out')
export class SignOutController {
  constructor(
    private readonly deviceTokens: DeviceTokenService,
    private readonly loginCookie: LoginCookie,
  ) {}

  @Post()
  @BrowserOnly()
  async signOut(@Req() request: Request, @Res({ passthrough: true }) response: Response): Promise<SeeOther> {
    await this.deviceTokens.revokeToken(this.loginCookie.readToken(request)!);
    this.loginCookie.clearToken(response);
    return new SeeOther('/console/sign-in');
  }
}
