import { Body, Controller, Delete, Get, Header, HttpCode, Param, Patch, Post, Query } from '@nestjs/common';
import { CurrentDevice, DeviceOnly, type DevicePrincipal } from '../../access/auth';
import { unwrappedResponse, Operation } from '../../common/http';
import { PageQueryDto } from '../../common/pages';
import { AppWithSecretDto } from './developer-app.response.dto';
import { CreateDeveloperAppDto, UpdateDeveloperAppDto } from './developer-apps.dto';
import { DeveloperAppsService } from './developer-apps.service';

/** Third-party app routes for the account devices of app developers (docs/protocol/oauth.md#apps). */
@Controller('v1/developer/apps')
export class DeveloperAppsController {
  constructor(private readonly apps: DeveloperAppsService) {}

  @Post()
  @Header('Cache-Control', 'no-store')
  @DeviceOnly('apps.manage')
  @Operation({
    id: 'createDeveloperApp',
    tag: 'Account',
    summary: 'Register an app',
    description:
      'Registers an app that acts for other people by OAuth 2.0, and creates its first secret. A redirect URI must ' +
      'be https, or http on `127.0.0.1`, `[::1]` or `localhost`, without fragment, user information or wildcard. ' +
      '`clientSecret` is returned only once.',
    response: unwrappedResponse(AppWithSecretDto),
    responseDescription: 'The app and its secret.',
    errorCodes: ['plan_limit_exceeded'],
    examples: {
      request: {
        name: 'Notes',
        description: 'Collects the findings of your agents',
        homepageUrl: 'https://app.example',
        redirectUris: ['https://app.example/callback'],
      },
    },
  })
  createDeveloperApp(@CurrentDevice() device: DevicePrincipal, @Body() body: CreateDeveloperAppDto) {
    return this.apps.createDeveloperApp(device.accountId, body);
  }

  @Get()
  @DeviceOnly('apps.manage')
  listDeveloperApps(@CurrentDevice() device: DevicePrincipal, @Query() query: PageQueryDto) {
    return this.apps.listDeveloperApps(device.accountId, query);
  }

  @Get(':clientId')
  @DeviceOnly('apps.manage')
  async getDeveloperApp(@CurrentDevice() device: DevicePrincipal, @Param('clientId') id: string) {
    return { data: await this.apps.getDeveloperApp(device.accountId, id) };
  }

  @Patch(':clientId')
  @DeviceOnly('apps.manage')
  async updateDeveloperApp(
    @CurrentDevice() device: DevicePrincipal,
    @Param('clientId') id: string,
    @Body() body: UpdateDeveloperAppDto,
  ) {
    return { data: await this.apps.updateDeveloperApp(device.accountId, id, body) };
  }

  @Delete(':clientId')
  @HttpCode(204)
  @DeviceOnly('apps.manage')
  deleteDeveloperApp(@CurrentDevice() device: DevicePrincipal, @Param('clientId') id: string): Promise<void> {
    return this.apps.deleteDeveloperApp(device.accountId, id);
  }

  @Post(':clientId/disable')
  @HttpCode(200)
  @DeviceOnly('apps.manage')
  async disableDeveloperApp(@CurrentDevice() device: DevicePrincipal, @Param('clientId') id: string) {
    return { data: await this.apps.setDeveloperAppState(device.accountId, id, 'disabled') };
  }

  @Post(':clientId/enable')
  @HttpCode(200)
  @DeviceOnly('apps.manage')
  async enableDeveloperApp(@CurrentDevice() device: DevicePrincipal, @Param('clientId') id: string) {
    return { data: await this.apps.setDeveloperAppState(device.accountId, id, 'active') };
  }

  @Post(':clientId/revoke-all')
  @HttpCode(200)
  @DeviceOnly('apps.manage')
  async revokeAllAuthorizations(@CurrentDevice() device: DevicePrincipal, @Param('clientId') id: string) {
    return { data: await this.apps.revokeAllAuthorizations(device.accountId, id) };
  }
}
