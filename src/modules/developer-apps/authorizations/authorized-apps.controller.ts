import { Controller, Delete, Get, HttpCode, Param, Query } from '@nestjs/common';
import { CurrentDevice, DeviceOnly, type DevicePrincipal } from '../../../access/auth';
import { PageQueryDto } from '../../../common/pages';
import { AuthorizedAppsService } from './authorized-apps.service';

/** Lists and revokes authorizations of an account (docs/protocol/oauth.md#authorized-apps). */
@Controller('v1/account/authorized-apps')
export class AuthorizedAppsController {
  constructor(private readonly apps: AuthorizedAppsService) {}

  @Get()
  @DeviceOnly('authorized-apps.manage')
  listAuthorizedApps(@CurrentDevice() device: DevicePrincipal, @Query() query: PageQueryDto) {
    return this.apps.listAuthorizedApps(device.accountId, query);
  }

  @Delete(':clientId')
  @HttpCode(204)
  @DeviceOnly('authorized-apps.manage')
  revokeAuthorizedApp(@CurrentDevice() device: DevicePrincipal, @Param('clientId') clientId: string): Promise<void> {
    return this.apps.revokeAuthorizedApp(device.accountId, clientId);
  }
}
