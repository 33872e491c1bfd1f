import { Controller, Header, HttpCode, Post, Req, Res, UseFilters } from '@nestjs/common';
import type { Request, Response } from 'express';
import { ClientOnly } from '../../auth';
import { bare, Operation, OwnShape } from '../../common/http';
import { ClientAuthentication } from '../clients/client-authentication';
import { OAuthErrorFilter } from '../http/oauth-error.filter';
import { requiredText } from '../http/parameters';
import { readForm } from '../http/read-form';
import { TokenReferenceFormDto } from './forms.dto';
import { Introspection } from './introspection';
import { IntrospectionAnswer } from './introspection-record';

/** `POST /oauth/introspect` (RFC 7662). */
@Controller('external/v1/oauth/introspect')
@UseFilters(OAuthErrorFilter)
export class IntrospectController {
  constructor(
    private readonly clients: ClientAuthentication,
    private readonly introspection: Introspection,
  ) {}

  @Post()
  @HttpCode(200)
  @Header('Cache-Control', 'no-store')
  @ClientOnly()
  @OwnShape()
  @Operation({
    id: 'introspectToken',
    tag: 'OAuth',
    summary: 'Ask about a token',
    description: "RFC 7662, for a client's own tokens; all others are not active.",
    answer: bare(IntrospectionAnswer),
    returns: 'The token, or `active: false` alone.',
    form: TokenReferenceFormDto,
  })
  async introspect(
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<IntrospectionAnswer> {
    const parameters = await readForm(request, response);
    const clientId = await this.clients.authenticate(request, parameters);
    return this.introspection.introspect(clientId, requiredText(parameters, 'token'));
  }
}
