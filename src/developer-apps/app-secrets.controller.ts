import { Body, Controller, Delete, Header, HttpCode, Param, Post } from '@nestjs/common';
import { CurrentDevice, DeviceOnly, type DevicePrincipal } from '../auth';
import { AppSecretsService } from './app-secrets.service';
import { AddSecretDto } from './developer-apps.dto';
import { DeveloperAppsService, type AppWithSecret } from './developer-apps.service';

/** An app's secrets (oauth.md, Apps). */
@Controller('v1/developer/apps/:clientId/secrets')
export class AppSecretsController {
  constructor(
    private readonly apps: DeveloperAppsService,
    private readonly secrets: AppSecretsService,
  ) {}

  @Post()
  @Header('Cache-Control', 'no-store')
  @DeviceOnly('apps.manage')
  async add(
    @CurrentDevice() { accountId }: DevicePrincipal,
    @Param('clientId') clientId: string,
    @Body() body: AddSecretDto,
  ): Promise<AppWithSecret> {
    const clientSecret = await this.secrets.add(accountId, clientId, body.expireOthersInSeconds);
    return { data: await this.apps.get(accountId, clientId), clientSecret };
  }

  @Delete(':id')
  @HttpCode(204)
  @DeviceOnly('apps.manage')
  remove(
    @CurrentDevice() { accountId }: DevicePrincipal,
    @Param('clientId') clientId: string,
    @Param('id') id: string,
  ): Promise<void> {
    return this.secrets.remove(accountId, clientId, id);
  }
}
