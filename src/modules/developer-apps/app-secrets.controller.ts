import { Body, Controller, Delete, Header, HttpCode, Param, Post } from '@nestjs/common';
import { CurrentDevice, DeviceOnly, type DevicePrincipal } from '../../access/auth';
import { noContentResponse, Operation, unwrappedResponse } from '../../common/http';
import { AppSecretsService } from './app-secrets.service';
import { AddAppSecretDto } from './developer-apps.dto';
import { AppWithSecretDto } from './developer-app.response.dto';
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
  @Operation({
    id: 'createAppSecret',
    tag: 'Account',
    summary: 'Create a secret of an app',
    description:
      'Adds a secret. With `expireOthersInSeconds`, the other secrets expire after that time. `clientSecret` is ' +
      'returned only once.',
    response: unwrappedResponse(AppWithSecretDto),
    responseDescription: 'The app and its new secret.',
    errorCodes: ['conflict'],
    examples: {
      request: { expireOthersInSeconds: 86_400 },
    },
  })
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
  @Operation({
    id: 'deleteAppSecret',
    tag: 'Account',
    summary: 'Delete a secret of an app',
    description: 'Ends the secret. The last secret cannot be deleted.',
    response: noContentResponse,
    responseDescription: 'The secret is deleted.',
    errorCodes: ['conflict'],
  })
  removeAppSecret(
    @CurrentDevice() { accountId }: DevicePrincipal,
    @Param('clientId') clientId: string,
    @Param('id') id: string,
  ): Promise<void> {
    return this.secrets.removeSecret(accountId, clientId, id);
  }
}
