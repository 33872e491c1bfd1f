import { Controller, Header, HttpCode, Post, Req, Res, UseFilters } from '@nestjs/common';
import type { Request, Response } from 'express';
import { ClientOnly } from '../../../access/auth';
import { unwrappedResponse, Operation, SkipValidation } from '../../../common/http';
import { ClientAuthenticationService } from '../clients/client-authentication.service';
import { UnsupportedGrantTypeError } from '../http/oauth-error';
import { OAuthErrorFilter } from '../http/oauth-error.filter';
import { requireParameter } from '../http/form-parameters';
import { TokenAnswerDto } from '../tokens/token-answer.dto';
import { AuthorizationCodeGrantHandler } from './authorization-code-grant-handler';
import { TokenFormDto } from './forms.dto';
import { RefreshTokenGrantHandler } from './refresh-token-grant-handler';

/** `POST /oauth/token` (RFC 6749 §3.2). */
@Controller('external/v1/oauth/token')
@UseFilters(OAuthErrorFilter)
export class TokenController {
  constructor(
    private readonly clientAuthenticationService: ClientAuthenticationService,
    private readonly authorizationCodeGrantHandler: AuthorizationCodeGrantHandler,
    private readonly refreshTokenGrantHandler: RefreshTokenGrantHandler,
  ) {}

  @Post()
  @HttpCode(200)
  @Header('Cache-Control', 'no-store')
  @Header('Pragma', 'no-cache')
  @ClientOnly()
  @SkipValidation()
  @Operation({
    id: 'issueToken',
    tag: 'OAuth',
    summary: 'Issue tokens',
    description:
      'Exchanges a code, or the newest refresh token, for two new tokens (RFC 6749 §4.1.3, §6). Using a code twice ' +
      'revokes all tokens issued for it; so does using a refresh token again more than 10 seconds after its first ' +
      'use. A refresh token is valid for 30 days, a sign-in for 90.',
    response: unwrappedResponse(TokenAnswerDto),
    responseDescription: 'An access token, valid for an hour, and the next refresh token.',
    formType: TokenFormDto,
    examples: {
      request: {
        client_id: 'svc_oapp_0123456789ABCDEFGHIJKLMNOPQRST0a1b2c',
        client_secret: 'svc_ocs_0123456789ABCDEFGHIJKLMNOPQRST0a1b2c',
        grant_type: 'authorization_code',
        code: '2YotnFZFEjr1zCsicMWpAA',
        redirect_uri: 'https://app.example/callback',
        code_verifier: 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk',
      },
    },
    oauthErrorCodes: ['invalid_grant', 'invalid_scope', 'unsupported_grant_type'],
  })
  async issueTokens(@Req() request: Request, @Res({ passthrough: true }) response: Response): Promise<TokenAnswerDto> {
    const { clientId, parameters } = await this.clientAuthenticationService.readAuthenticatedForm(request, response);
    const grantType = requireParameter(parameters, 'grant_type');
    if (grantType === 'authorization_code')
      return this.authorizationCodeGrantHandler.exchangeCode(clientId, parameters);
    if (grantType === 'refresh_token') return this.refreshTokenGrantHandler.exchangeRefreshToken(clientId, parameters);
    throw new UnsupportedGrantTypeError('grant_type must be authorization_code or refresh_token.');
  }
}
