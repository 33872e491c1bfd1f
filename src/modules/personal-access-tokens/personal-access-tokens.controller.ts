import { Body, Controller, Delete, Get, Header, HttpCode, Param, Post, Query } from '@nestjs/common';
import { CurrentDevice, DeviceOnly, type DevicePrincipal } from '../../access/auth';
import { unwrappedResponse, Operation } from '../../common/http';
import { PageQueryDto } from '../../common/pages';
import { TokenWithSecretDto } from './personal-access-token.response.dto';
import { CreateExternalTokenDto, RotatePersonalAccessTokenDto } from './personal-access-tokens.dto';
import { PersonalAccessTokensService } from './personal-access-tokens.service';

/** Personal access token routes for account devices (docs/protocol/external-api.md#personal-access-tokens). */
@Controller('v1/account/external-tokens')
export class PersonalAccessTokensController {
  constructor(private readonly tokens: PersonalAccessTokensService) {}

  @Post()
  @Header('Cache-Control', 'no-store')
  @DeviceOnly('tokens.manage')
  @Operation({
    id: 'createExternalToken',
    tag: 'Account',
    summary: 'Create a personal access token',
    description:
      'Creates a token for scripts that act as the account. Its scopes cannot be extended. `token` is the secret. It ' +
      'is returned only once; the service stores only its hash.',
    response: unwrappedResponse(TokenWithSecretDto),
    responseDescription: 'The token and its secret.',
    errorCodes: ['plan_limit_exceeded'],
    examples: {
      request: { name: 'ci', scopes: ['sessions:read', 'usage:read'], expiresInDays: 90 },
    },
  })
  createPersonalAccessToken(@CurrentDevice() device: DevicePrincipal, @Body() body: CreateExternalTokenDto) {
    return this.tokens.createPersonalAccessToken(device.accountId, body);
  }

  @Get()
  @DeviceOnly('tokens.manage')
  listPersonalAccessTokens(@CurrentDevice() device: DevicePrincipal, @Query() query: PageQueryDto) {
    return this.tokens.listPersonalAccessTokens(device.accountId, query);
  }

  @Get(':id')
  @DeviceOnly('tokens.manage')
  async getPersonalAccessToken(@CurrentDevice() device: DevicePrincipal, @Param('id') id: string) {
    return { data: await this.tokens.getPersonalAccessToken(device.accountId, id) };
  }

  @Delete(':id')
  @HttpCode(204)
  @DeviceOnly('tokens.manage')
  revokePersonalAccessToken(@CurrentDevice() device: DevicePrincipal, @Param('id') id: string): Promise<void> {
    return this.tokens.revokePersonalAccessToken(device.accountId, id);
  }

  @Post(':id/rotate')
  @HttpCode(200)
  @Header('Cache-Control', 'no-store')
  @DeviceOnly('tokens.manage')
  rotatePersonalAccessToken(
    @CurrentDevice() device: DevicePrincipal,
    @Param('id') id: string,
    @Body() body: RotatePersonalAccessTokenDto,
  ) {
    return this.tokens.rotatePersonalAccessToken(device.accountId, id, body.overlapSeconds);
  }
}
