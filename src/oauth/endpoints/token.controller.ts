import { Controller, Header, HttpCode, Post, Req, Res, UseFilters } from '@nestjs/common';
import type { Request, Response } from 'express';
import { ClientOnly } from '../../auth';
import { bare, Operation, OwnShape } from '../../common/http';
import { ClientAuthentication } from '../clients/client-authentication';
import { UnsupportedGrantType } from '../http/oauth-error';
import { OAuthErrorFilter } from '../http/oauth-error.filter';
import { requiredText } from '../http/parameters';
import { readForm } from '../http/read-form';
import { TokenAnswer } from '../tokens/token-record';
import { CodeGrant } from './code-grant';
import { TokenFormDto } from './forms.dto';
import { RefreshGrant } from './refresh-grant';

/** `POST /oauth/token` (RFC 6749 §3.2). */
@Controller('external/v1/oauth/token')
@UseFilters(OAuthErrorFilter)
export class TokenController {
  constructor(
    private readonly clients: ClientAuthentication,
    private readonly codeGrant: CodeGrant,
    private readonly refreshGrant: RefreshGrant,
  ) {}

  @Post()
  @HttpCode(200)
  @Header('Cache-Control', 'no-store')
  @Header('Pragma', 'no-cache')
  @ClientOnly()
  @OwnShape()
  @Operation({
    id: 'issueToken',
    tag: 'OAuth',
    summary: 'Get tokens',
    description:
      'A code, or the newest refresh token, for the next two tokens (RFC 6749 §4.1.3, §6). A code that comes twice ends ' +
      'all tokens that it gave; so does a refresh token that comes again more than 10 seconds after it was used. A ' +
      'refresh token lives 30 days, a sign-in 90.',
    answer: bare(TokenAnswer),
    returns: 'An access token for an hour and the next refresh token.',
    form: TokenFormDto,
    oauthErrors: ['invalid_grant', 'invalid_scope', 'unsupported_grant_type'],
  })
  async token(@Req() request: Request, @Res({ passthrough: true }) response: Response): Promise<TokenAnswer> {
    const parameters = await readForm(request, response);
    const clientId = await this.clients.authenticate(request, parameters);
    const grantType = requiredText(parameters, 'grant_type');
    if (grantType === 'authorization_code') return this.codeGrant.exchange(clientId, parameters);
    if (grantType === 'refresh_token') return this.refreshGrant.refresh(clientId, parameters);
    throw new UnsupportedGrantType('grant_type must be authorization_code or refresh_token.');
  }
}
