import { Body, Controller, Delete, Get, Header, HttpCode, Param, Patch, Post, Query } from '@nestjs/common';
import { CurrentDevice, DeviceOnly, type DevicePrincipal } from '../auth';
import { PageQuery } from '../common/pages';
import { CreateDeveloperAppDto, UpdateDeveloperAppDto } from './developer-apps.dto';
import { DeveloperAppsService } from './developer-apps.service';

/** Third-party apps, for the account devices of those who write them (oauth.md, Apps). */
@Controller('v1/developer/apps')
export class DeveloperAppsController {
  constructor(private readonly apps: DeveloperAppsService) {}

  @Post()
  @Header('Cache-Control', 'no-store')
  @DeviceOnly('apps.manage')
  create(@CurrentDevice() device: DevicePrincipal, @Body() body: CreateDeveloperAppDto) {
    return this.apps.create(device.accountId, body);
  }

  @Get()
  @DeviceOnly('apps.manage')
  list(@CurrentDevice() device: DevicePrincipal, @Query() query: PageQuery) {
    return this.apps.list(device.accountId, query);
  }

  @Get(':clientId')
  @DeviceOnly('apps.manage')
  async get(@CurrentDevice() device: DevicePrincipal, @Param('clientId') id: string) {
    return { data: await this.apps.get(device.accountId, id) };
  }

  @Patch(':clientId')
  @DeviceOnly('apps.manage')
  async update(
    @CurrentDevice() device: DevicePrincipal,
    @Param('clientId') id: string,
    @Body() body: UpdateDeveloperAppDto,
  ) {
    return { data: await this.apps.update(device.accountId, id, body) };
  }

  @Delete(':clientId')
  @HttpCode(204)
  @DeviceOnly('apps.manage')
  delete(@CurrentDevice() device: DevicePrincipal, @Param('clientId') id: string): Promise<void> {
    return this.apps.delete(device.accountId, id);
  }

  @Post(':clientId/disable')
  @HttpCode(200)
  @DeviceOnly('apps.manage')
  async disable(@CurrentDevice() device: DevicePrincipal, @Param('clientId') id: string) {
    return { data: await this.apps.setState(device.accountId, id, 'disabled') };
  }

  @Post(':clientId/enable')
  @HttpCode(200)
  @DeviceOnly('apps.manage')
  async enable(@CurrentDevice() device: DevicePrincipal, @Param('clientId') id: string) {
    return { data: await this.apps.setState(device.accountId, id, 'active') };
  }

  @Post(':clientId/revoke-all')
  @HttpCode(200)
  @DeviceOnly('apps.manage')
  async revokeAll(@CurrentDevice() device: DevicePrincipal, @Param('clientId') id: string) {
    return { data: await this.apps.revokeAll(device.accountId, id) };
  }
}
