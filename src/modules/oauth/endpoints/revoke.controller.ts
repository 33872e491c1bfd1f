import { Controller, Header, HttpCode, Post, Req, Res, UseFilters } from '@nestjs/common';
import type { Request, Response } from 'express';
import { ClientOnly } from '../../../access/auth';
import { unwrappedResponse, Operation, SkipValidation } from '../../../common/http';
import { ClientAuthenticationService } from '../clients/client-authentication.service';
import { OAuthErrorFilter } from '../http/oauth-error.filter';
import { requireParameter } from '../http/form-parameters';
import { TokenReferenceFormDto } from './forms.dto';
import { TokenRevocationService } from './token-revocation.service';
import { RevocationAnswerDto } from './revocation-answer.dto';

/** `POST /oauth/revoke` (RFC 7009). */
@Controller('external/v1/oauth/revoke')
@UseFilters(OAuthErrorFilter)
export class RevokeController {
  constructor(
    private readonly clientAuthenticationService: ClientAuthenticationService,
    private readonly tokenRevocationService: TokenRevocationService,
  ) {}

  @Post()
  @HttpCode(200)
  @Header('Cache-Control', 'no-store')
  @ClientOnly()
  @SkipValidation()
  @Operation({
    id: 'revokeToken',
    tag: 'OAuth',
    summary: 'Revoke a token',
    description:
      'Revokes a token (RFC 7009). A refresh token, even a used one, revokes all tokens of its sign-in; an access ' +
      "token only itself. The response is the same for tokens that are unknown, expired or another client's.",
    response: unwrappedResponse(RevocationAnswerDto),
    responseDescription: 'The token is not valid (anymore).',
    formType: TokenReferenceFormDto,
  })
  async revokeToken(
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<RevocationAnswerDto> {
    const { clientId, parameters } = await this.clientAuthenticationService.readAuthenticatedForm(request, response);
    await this.tokenRevocationService.revokeToken(clientId, requireParameter(parameters, 'token'));
    return {};
  }
}
