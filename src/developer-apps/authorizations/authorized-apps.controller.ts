import { Controller, Delete, Get, HttpCode, Param, Query } from '@nestjs/common';
import { CurrentDevice, DeviceOnly, type DevicePrincipal } from '../../auth';
import { PageQuery } from '../../common/pages';
import { AuthorizedAppsService } from './authorized-apps.service';

/** What may act for the account, and the end of it (oauth.md, People's side). */
@Controller('v1/account/authorized-apps')
export class AuthorizedAppsController {
  constructor(private readonly apps: AuthorizedAppsService) {}

  @Get()
  @DeviceOnly('authorized-apps.manage')
  list(@CurrentDevice() device: DevicePrincipal, @Query() query: PageQuery) {
    return this.apps.list(device.accountId, query);
  }

  @Delete(':clientId')
  @HttpCode(204)
  @DeviceOnly('authorized-apps.manage')
  revoke(@CurrentDevice() device: DevicePrincipal, @Param('clientId') clientId: string): Promise<void> {
    return this.apps.revoke(device.accountId, clientId);
  }
}
