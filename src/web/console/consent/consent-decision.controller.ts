import { Body, Controller, Header, HttpCode, Post, Req } from '@nestjs/common';
import { IsIn, IsString } from 'class-validator';
import type { Request } from 'express';
import {
  BrowserOnly,
  CurrentDevice,
  getLoginId,
  rejectCrossSiteRequest,
  type DevicePrincipal,
} from '../../../access/auth';
import { ConsentService } from '../../../modules/oauth';

export class ConsentDecisionDto {
  @IsString()
  ticket!: string;

  @IsIn(['allow', 'deny'])
  @IsString()
  decision!: 'allow' | 'deny';
}

/**
 * Decides consent requests for the page's own script, which shares sessions before it opens the app
 * (docs/protocol/oauth.md#consent). The one-time ticket is the CSRF token.
 */
@Controller('console/consent')
export class ConsentDecisionController {
  constructor(private readonly consents: ConsentService) {}

  /** Responds with the address to which the form would have redirected. */
  @Post(':requestId/decision')
  @HttpCode(200)
  @Header('Cache-Control', 'no-store')
  @Header('Cross-Origin-Resource-Policy', 'same-origin')
  @BrowserOnly()
  async decideConsent(
    @Req() request: Request,
    @CurrentDevice() device: DevicePrincipal,
    @Body() { ticket, decision }: ConsentDecisionDto,
  ) {
    rejectCrossSiteRequest(request);
    const user = { accountId: device.accountId, loginId: getLoginId(device) };
    return { data: await this.consents.decideConsentRequest(ticket, user, decision) };
  }
}
