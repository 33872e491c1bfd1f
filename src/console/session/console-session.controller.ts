import { Body, Controller, Delete, Header, HttpCode, Ip, Post, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { Public, SessionCookie, SessionOnly } from '../../auth';
import { DeviceTokens, SignInDto, SignInService } from '../../devices';
import { requireSameSite } from './same-site';

/** A browser session as scripts begin and end it (console.md, Sign-in): a device's signature for a cookie. */
@Controller('console/session')
export class ConsoleSessionController {
  constructor(
    private readonly signIns: SignInService,
    private readonly tokens: DeviceTokens,
    private readonly cookie: SessionCookie,
  ) {}

  /** Answers as `POST /v1/auth/sign-in` does, but for the token, which goes into the cookie and nowhere else. */
  @Post()
  @HttpCode(200)
  @Header('Cache-Control', 'no-store')
  @Header('Cross-Origin-Resource-Policy', 'same-origin')
  @Public()
  async signIn(
    @Body() body: SignInDto,
    @Ip() address: string,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ) {
    requireSameSite(request);
    const { token, ...signedIn } = await this.signIns.signIn(body, address, ['account']);
    const replaced = this.cookie.read(request);
    if (replaced !== null) await this.tokens.end(replaced);
    this.cookie.set(response, token, signedIn.tokenExpiresAt);
    return { data: signedIn };
  }

  /** For the page's own scripts; no other site's can send it. */
  @Delete()
  @HttpCode(204)
  @Header('Cross-Origin-Resource-Policy', 'same-origin')
  @SessionOnly()
  async end(@Req() request: Request, @Res({ passthrough: true }) response: Response): Promise<void> {
    requireSameSite(request);
    await this.tokens.end(this.cookie.read(request)!);
    this.cookie.clear(response);
  }
}
