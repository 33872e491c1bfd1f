import { Body, Controller, Delete, Header, HttpCode, Param, Post } from '@nestjs/common';
import { CurrentDevice, DeviceOnly, type DevicePrincipal } from '../../access/auth';
import { AppSecretsService } from './app-secrets.service';
import { AddAppSecretDto } from './developer-apps.dto';
import type { AppWithSecretDto } from './developer-app.response.dto';
import { DeveloperAppsService } from './developer-apps.service';

/** Secret routes of an app (docs/protocol/oauth.md#apps). */
@Controller('v1/developer/apps/:clientId/secrets')
export class AppSecretsController {
  constructor(
    private readonly apps: DeveloperAppsService,
    private readonly secrets: AppSecretsService,
  ) {}

  @Post()
  @Header('Cache-Control', 'no-store')
  @DeviceOnly('apps.manage')
  async addAppSecret(
    @CurrentDevice() { accountId }: DevicePrincipal,
    @Param('clientId') clientId: string,
    @Body() body: AddAppSecretDto,
  ): Promise<AppWithSecretDto> {
    const clientSecret = await this.secrets.addSecret(accountId, clientId, body.expireOthersInSeconds);
    return { data: await this.apps.getDeveloperApp(accountId, clientId), clientSecret };
  }

  @Delete(':id')
  @HttpCode(204)
  @DeviceOnly('apps.manage')
  removeAppSecret(
    @CurrentDevice() { accountId }: DevicePrincipal,
    @Param('clientId') clientId: string,
    @Param('id') id: string,
  ): Promise<void> {
    return this.secrets.removeSecret(accountId, clientId, id);
  }
}
