import { Post, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { SessionCookie, SessionOnly } from '../../auth';
import { DeviceTokens } from '../../devices';
import { ConsoleController } from '../html/console-controller';
import { SeeOther } from '../html/page';

/** Ends the session, not the device: its keys stay in the browser, which may sign in again. */
@ConsoleController('console/sign-out')
export class SignOutController {
  constructor(
    private readonly tokens: DeviceTokens,
    private readonly cookie: SessionCookie,
  ) {}

  @Post()
  @SessionOnly()
  async signOut(@Req() request: Request, @Res({ passthrough: true }) response: Response): Promise<SeeOther> {
    await this.tokens.end(this.cookie.read(request)!);
    this.cookie.clear(response);
    return new SeeOther('/console/sign-in');
  }
}
