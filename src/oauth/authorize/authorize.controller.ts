import { Controller, Get, Ip, Req, Res, UseFilters } from '@nestjs/common';
import { normalizeIp } from '@nestjs/throttler';
import type { Request, Response } from 'express';
import { Public } from '../../auth';
import { Operation, OwnShape, redirect } from '../../common/http';
import { rateLimited, RateLimits } from '../../rate-limit';
import { AuthorizationQueryDto } from '../endpoints/forms.dto';
import { parseParameters } from '../http/parameters';
import { Authorization } from './authorization';
import { ErrorPageFilter } from './error-page.filter';

/** Where an app sends a person's browser (RFC 6749 §3.1). */
@Controller('external/v1/oauth/authorize')
@UseFilters(ErrorPageFilter)
export class AuthorizeController {
  constructor(
    private readonly authorization: Authorization,
    private readonly limits: RateLimits,
  ) {}

  @Get()
  @Public()
  @OwnShape()
  @Operation({
    id: 'authorize',
    tag: 'OAuth',
    summary: 'Ask a person',
    description:
      "An app sends a person's browser here (RFC 6749 §4.1.1); it comes back to the app's redirect URI with `code`, or " +
      'with `error`, and with `state` and `iss` (RFC 9207). Unknown parameters are ignored.',
    answer: redirect,
    returns: 'To the question, or back to the app with an error.',
    query: AuthorizationQueryDto,
  })
  async authorize(@Req() request: Request, @Ip() address: string, @Res() response: Response): Promise<void> {
    // Nobody is known yet, and a request is kept for ten minutes.
    const draw = await this.limits.draw('authorize', normalizeIp(address, 64));
    if (draw.refused) throw rateLimited(draw);
    const location = await this.authorization.begin(parseParameters(queryOf(request.originalUrl)));
    response
      .status(303)
      .set({ Location: location, 'Cache-Control': 'no-store', 'Referrer-Policy': 'no-referrer' })
      .end();
  }
}

/** As it came: Express would decode it, and `state` goes back byte for byte. */
function queryOf(url: string): string {
  const at = url.indexOf('?');
  return at < 0 ? '' : url.slice(at + 1);
}
