import { Controller, Header, HttpCode, Post, Req, Res, UseFilters } from '@nestjs/common';
import type { Request, Response } from 'express';
import { ClientOnly } from '../../../access/auth';
import { ReadsDataOnly } from '../../../access/read-only';
import { unwrappedResponse, Operation, SkipValidation } from '../../../common/http';
import { ClientAuthenticationService } from '../clients/client-authentication.service';
import { OAuthErrorFilter } from '../http/oauth-error.filter';
import { requireParameter } from '../http/form-parameters';
import { TokenReferenceFormDto } from './forms.dto';
import { TokenIntrospectionService } from './token-introspection.service';
import { IntrospectionAnswerDto } from './introspection-answer.dto';

/** `POST /oauth/introspect` (RFC 7662). */
@Controller('external/v1/oauth/introspect')
@UseFilters(OAuthErrorFilter)
export class IntrospectController {
  constructor(
    private readonly clientAuthenticationService: ClientAuthenticationService,
    private readonly tokenIntrospectionService: TokenIntrospectionService,
  ) {}

  @Post()
  @HttpCode(200)
  @Header('Cache-Control', 'no-store')
  @ClientOnly()
  @ReadsDataOnly()
  @SkipValidation()
  @Operation({
    id: 'introspectToken',
    tag: 'OAuth',
    summary: 'Introspect a token',
    description: "Describes a client's own token (RFC 7662). Tokens of other clients are reported as not active.",
    response: unwrappedResponse(IntrospectionAnswerDto),
    responseDescription: 'The token, or only `active: false`.',
    formType: TokenReferenceFormDto,
  })
  async introspectToken(
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<IntrospectionAnswerDto> {
    const { clientId, parameters } = await this.clientAuthenticationService.readAuthenticatedForm(request, response);
    return this.tokenIntrospectionService.introspectToken(clientId, requireParameter(parameters, 'token'));
  }
}
