import { Body, Controller, Delete, Get, Header, HttpCode, Param, Patch, Post, Query } from '@nestjs/common';
import { CurrentDevice, DeviceOnly, type DevicePrincipal } from '../../access/auth';
import { listResponse, noContentResponse, Operation, singleResponse, unwrappedResponse } from '../../common/http';
import { PageQueryDto } from '../../common/pages';
import { AppWithSecretDto, DeveloperAppDto } from './developer-app.response.dto';
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
  @Operation({
    id: 'listDeveloperApps',
    tag: 'Account',
    summary: 'List registered apps',
    description: 'Lists the apps that the account has registered, with what identifies their secrets.',
    response: listResponse(DeveloperAppDto),
  })
  listDeveloperApps(@CurrentDevice() device: DevicePrincipal, @Query() query: PageQueryDto) {
    return this.apps.listDeveloperApps(device.accountId, query);
  }

  @Get(':clientId')
  @DeviceOnly('apps.manage')
  @Operation({
    id: 'getDeveloperApp',
    tag: 'Account',
    summary: 'Get a registered app',
    description: 'Returns the app without its secrets.',
    response: singleResponse(DeveloperAppDto),
  })
  async getDeveloperApp(@CurrentDevice() device: DevicePrincipal, @Param('clientId') id: string) {
    return { data: await this.apps.getDeveloperApp(device.accountId, id) };
  }

  @Patch(':clientId')
  @DeviceOnly('apps.manage')
  @Operation({
    id: 'updateDeveloperApp',
    tag: 'Account',
    summary: 'Change a registered app',
    description: 'Changes the given members. An empty string clears `description` or `homepageUrl`.',
    response: singleResponse(DeveloperAppDto),
    responseDescription: 'The changed app.',
    examples: {
      request: { name: 'Notes', redirectUris: ['https://app.example/callback'] },
    },
  })
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
  @Operation({
    id: 'deleteDeveloperApp',
    tag: 'Account',
    summary: 'Delete a registered app',
    description: 'Deletes the app with its secrets, authorizations and webhooks. Its tokens stop working.',
    response: noContentResponse,
    responseDescription: 'The app is deleted.',
  })
  deleteDeveloperApp(@CurrentDevice() device: DevicePrincipal, @Param('clientId') id: string): Promise<void> {
    return this.apps.deleteDeveloperApp(device.accountId, id);
  }

  @Post(':clientId/disable')
  @HttpCode(200)
  @DeviceOnly('apps.manage')
  @Operation({
    id: 'disableDeveloperApp',
    tag: 'Account',
    summary: 'Disable a registered app',
    description: 'Its secrets and tokens are refused until the app is enabled again.',
    response: singleResponse(DeveloperAppDto),
    responseDescription: 'The disabled app.',
  })
  async disableDeveloperApp(@CurrentDevice() device: DevicePrincipal, @Param('clientId') id: string) {
    return { data: await this.apps.setDeveloperAppState(device.accountId, id, 'disabled') };
  }

  @Post(':clientId/enable')
  @HttpCode(200)
  @DeviceOnly('apps.manage')
  @Operation({
    id: 'enableDeveloperApp',
    tag: 'Account',
    summary: 'Enable a registered app',
    description: 'Accepts the secrets and tokens of a disabled app again.',
    response: singleResponse(DeveloperAppDto),
    responseDescription: 'The active app.',
  })
  async enableDeveloperApp(@CurrentDevice() device: DevicePrincipal, @Param('clientId') id: string) {
    return { data: await this.apps.setDeveloperAppState(device.accountId, id, 'active') };
  }

  @Post(':clientId/revoke-all')
  @HttpCode(200)
  @DeviceOnly('apps.manage')
  @Operation({
    id: 'revokeAllAuthorizations',
    tag: 'Account',
    summary: 'Revoke all authorizations of an app',
    description: 'Ends the access of the app to all accounts.',
    response: singleResponse(DeveloperAppDto),
    responseDescription: 'The app, without authorizations.',
  })
  async revokeAllAuthorizations(@CurrentDevice() device: DevicePrincipal, @Param('clientId') id: string) {
    return { data: await this.apps.revokeAllAuthorizations(device.accountId, id) };
  }
}
