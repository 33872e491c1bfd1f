import { Body, Controller, Delete, Header, HttpCode, Ip, Post, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { Public, LoginCookie, BrowserOnly, rejectCrossSiteRequest } from '../../../access/auth';
import { RateLimit } from '../../../access/rate-limiting';
import { DeviceTokenService, SignInDto, SignInService } from '../../../modules/devices';

/**
 * Creates and deletes browser logins for scripts: a device's signature for a cookie
 * (docs/guide/console.md#sign-in-and-sign-out).
 */
@Controller('console/session')
export class LoginController {
  constructor(
    private readonly signIns: SignInService,
    private readonly deviceTokens: DeviceTokenService,
    private readonly loginCookie: LoginCookie,
  ) {}

  /** Responds like `POST /v1/auth/sign-in`, except that the token is only set as a cookie. */
  @Post()
  @HttpCode(200)
  @Header('Cache-Control', 'no-store')
  @Header('Cross-Origin-Resource-Policy', 'same-origin')
  @Public()
  @RateLimit('address', 'address')
  async createLogin(
    @Body() body: SignInDto,
    @Ip() address: string,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ) {
    rejectCrossSiteRequest(request);
    const { token, ...signedIn } = await this.signIns.signIn(body, address, ['account'], 'browser');
    const previousToken = this.loginCookie.readToken(request);
    if (previousToken !== null) await this.deviceTokens.revokeToken(previousToken, signedIn.device.id);
    this.loginCookie.setToken(response, token, signedIn.tokenExpiresAt);
    return { data: signedIn };
  }

  /** Signs out from the page's own scripts, which ends the notifications. Requests of other sites are rejected. */
  @Delete()
  @HttpCode(204)
  @Header('Cross-Origin-Resource-Policy', 'same-origin')
  @BrowserOnly()
  async deleteLogin(@Req() request: Request, @Res({ passthrough: true }) response: Response): Promise<void> {
    rejectCrossSiteRequest(request);
    await this.deviceTokens.revokeToken(this.loginCookie.readToken(request)!);
    this.loginCookie.clearToken(response);
  }
}
