import { Controller, Delete, Get, HttpCode, Param, Query } from '@nestjs/common';
import { CurrentDevice, DeviceOnly, type DevicePrincipal } from '../../../access/auth';
import { listResponse, noContentResponse, Operation } from '../../../common/http';
import { PageQueryDto } from '../../../common/pages';
import { AuthorizedAppDto } from './authorized-app.response.dto';
import { AuthorizedAppsService } from './authorized-apps.service';

/** Lists and revokes authorizations of an account (docs/protocol/oauth.md#authorized-apps). */
@Controller('v1/account/authorized-apps')
export class AuthorizedAppsController {
  constructor(private readonly apps: AuthorizedAppsService) {}

  @Get()
  @DeviceOnly('authorized-apps.manage')
  @Operation({
    id: 'listAuthorizedApps',
    tag: 'Account',
    summary: 'List authorized apps',
    description: 'Lists the apps that may act for the account, the newest authorization first.',
    response: listResponse(AuthorizedAppDto),
  })
  listAuthorizedApps(@CurrentDevice() device: DevicePrincipal, @Query() query: PageQueryDto) {
    return this.apps.listAuthorizedApps(device.accountId, query);
  }

  @Delete(':clientId')
  @HttpCode(204)
  @DeviceOnly('authorized-apps.manage')
  @Operation({
    id: 'revokeAuthorizedApp',
    tag: 'Account',
    summary: 'Revoke an authorized app',
    description:
      'Ends the access of the app: its tokens for this account stop working on every instance within one second.',
    response: noContentResponse,
    responseDescription: 'The access has ended.',
  })
  revokeAuthorizedApp(@CurrentDevice() device: DevicePrincipal, @Param('clientId') clientId: string): Promise<void> {
    return this.apps.revokeAuthorizedApp(device.accountId, clientId);
  }
}
