import { Controller, Header, HttpCode, Post, Req, Res, UseFilters } from '@nestjs/common';
import type { Request, Response } from 'express';
import { ClientOnly } from '../../auth';
import { bare, Operation, OwnShape } from '../../common/http';
import { ClientAuthentication } from '../clients/client-authentication';
import { OAuthErrorFilter } from '../http/oauth-error.filter';
import { requiredText } from '../http/parameters';
import { readForm } from '../http/read-form';
import { TokenReferenceFormDto } from './forms.dto';
import { Revocation } from './revocation';
import { RevocationAnswer } from './revocation-record';

/** `POST /oauth/revoke` (RFC 7009). */
@Controller('external/v1/oauth/revoke')
@UseFilters(OAuthErrorFilter)
export class RevokeController {
  constructor(
    private readonly clients: ClientAuthentication,
    private readonly revocation: Revocation,
  ) {}

  @Post()
  @HttpCode(200)
  @Header('Cache-Control', 'no-store')
  @ClientOnly()
  @OwnShape()
  @Operation({
    id: 'revokeToken',
    tag: 'OAuth',
    summary: 'Revoke a token',
    description:
      'RFC 7009. A refresh token, even one that was used, takes all tokens of its sign-in along; an access token goes ' +
      "alone. Tokens that are unknown, dead or another client's are answered alike.",
    answer: bare(RevocationAnswer),
    returns: 'It does not work, or never did.',
    form: TokenReferenceFormDto,
  })
  async revoke(@Req() request: Request, @Res({ passthrough: true }) response: Response): Promise<RevocationAnswer> {
    const parameters = await readForm(request, response);
    const clientId = await this.clients.authenticate(request, parameters);
    await this.revocation.revoke(clientId, requiredText(parameters, 'token'));
    return {};
  }
}
