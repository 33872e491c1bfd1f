import { Controller, Get, Req, Res, UseFilters } from '@nestjs/common';
import type { Request, Response } from 'express';
import { Public } from '../../../access/auth';
import { Operation, SkipValidation, redirectResponse } from '../../../common/http';
import { RateLimit } from '../../../access/rate-limiting';
import { ChangesData } from '../../../access/read-only';
import { AuthorizationQueryDto } from '../endpoints/forms.dto';
import { parseFormParameters } from '../http/form-parameters';
import { AuthorizationService } from './authorization.service';
import { OAuthErrorPageFilter } from './oauth-error-page.filter';

/** Receives browsers that apps redirect for authorization (RFC 6749 §3.1). */
@Controller('external/v1/oauth/authorize')
@UseFilters(OAuthErrorPageFilter)
export class AuthorizeController {
  constructor(private readonly authorizationService: AuthorizationService) {}

  /** Limited by address: the caller is anonymous, and each request is stored for ten minutes. */
  @Get()
  @Public()
  @ChangesData()
  @RateLimit('authorize', 'address')
  @SkipValidation()
  @Operation({
    id: 'authorize',
    tag: 'OAuth',
    summary: 'Request authorization',
    description:
      "An app redirects a person's browser here (RFC 6749 §4.1.1). The browser returns to the app's redirect URI " +
      'with `code` or `error`, and with `state` and `iss` (RFC 9207). Unknown parameters are ignored.',
    response: redirectResponse,
    responseDescription: 'Redirects to the consent page, or back to the app with an error.',
    queryType: AuthorizationQueryDto,
  })
  async startAuthorization(@Req() request: Request, @Res() response: Response): Promise<void> {
    const location = await this.authorizationService.startAuthorization(
      parseFormParameters(getRawQuery(request.originalUrl)),
    );
    response
      .status(303)
      .set({ Location: location, 'Cache-Control': 'no-store', 'Referrer-Policy': 'no-referrer' })
      .end();
  }
}

/** Returns the raw query. Express would decode it, but `state` must be returned byte for byte. */
function getRawQuery(url: string): string {
  const questionMarkIndex = url.indexOf('?');
  return questionMarkIndex < 0 ? '' : url.slice(questionMarkIndex + 1);
}
