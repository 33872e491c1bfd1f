import { Body, Controller, Delete, Get, Header, HttpCode, Param, Patch, Post, Query } from '@nestjs/common';
import { CurrentDevice, DeviceOnly, type DevicePrincipal } from '../../access/auth';
import { listResponse, noContentResponse, Operation, singleResponse, unwrappedResponse } from '../../common/http';
import { PageQueryDto } from '../../common/pages';
import { ExternalTokenDto, TokenWithSecretDto } from './personal-access-token.response.dto';
import {
  CreateExternalTokenDto,
  RenamePersonalAccessTokenDto,
  RotatePersonalAccessTokenDto,
} from './personal-access-tokens.dto';
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
  @Operation({
    id: 'listExternalTokens',
    tag: 'Account',
    summary: 'List personal access tokens',
    description: 'Lists the tokens of the account with their states, without their secrets.',
    response: listResponse(ExternalTokenDto),
  })
  listPersonalAccessTokens(@CurrentDevice() device: DevicePrincipal, @Query() query: PageQueryDto) {
    return this.tokens.listPersonalAccessTokens(device.accountId, query);
  }

  @Get(':id')
  @DeviceOnly('tokens.manage')
  @Operation({
    id: 'getExternalToken',
    tag: 'Account',
    summary: 'Get a personal access token',
    description: 'Returns the token without its secret.',
    response: singleResponse(ExternalTokenDto),
  })
  async getPersonalAccessToken(@CurrentDevice() device: DevicePrincipal, @Param('id') id: string) {
    return { data: await this.tokens.getPersonalAccessToken(device.accountId, id) };
  }

  @Patch(':id')
  @DeviceOnly('tokens.manage')
  @Operation({
    id: 'renameExternalToken',
    tag: 'Account',
    summary: 'Rename a personal access token',
    description: 'Changes the name of the token. Its secret and scopes do not change.',
    response: singleResponse(ExternalTokenDto),
    responseDescription: 'The renamed token.',
    examples: {
      request: { name: 'ci' },
    },
  })
  async renamePersonalAccessToken(
    @CurrentDevice() { accountId }: DevicePrincipal,
    @Param('id') id: string,
    @Body() { name }: RenamePersonalAccessTokenDto,
  ) {
    return { data: await this.tokens.renamePersonalAccessToken(accountId, id, name) };
  }

  @Delete(':id')
  @HttpCode(204)
  @DeviceOnly('tokens.manage')
  @Operation({
    id: 'revokeExternalToken',
    tag: 'Account',
    summary: 'Revoke a personal access token',
    description: 'Ends the token on every instance within one second. Repeated calls return 204 again.',
    response: noContentResponse,
    responseDescription: 'The token is revoked.',
  })
  revokePersonalAccessToken(@CurrentDevice() device: DevicePrincipal, @Param('id') id: string): Promise<void> {
    return this.tokens.revokePersonalAccessToken(device.accountId, id);
  }

  @Post(':id/rotate')
  @HttpCode(200)
  @Header('Cache-Control', 'no-store')
  @DeviceOnly('tokens.manage')
  @Operation({
    id: 'rotateExternalToken',
    tag: 'Account',
    summary: 'Rotate a personal access token',
    description:
      'Replaces the secret of an active token. With `overlapSeconds`, the old secret works for that time too. ' +
      '`token` is the new secret. It is returned only once.',
    response: unwrappedResponse(TokenWithSecretDto),
    responseDescription: 'The token and its new secret.',
    errorCodes: ['conflict'],
    examples: {
      request: { overlapSeconds: 3600 },
    },
  })
  rotatePersonalAccessToken(
    @CurrentDevice() device: DevicePrincipal,
    @Param('id') id: string,
    @Body() body: RotatePersonalAccessTokenDto,
  ) {
    return this.tokens.rotatePersonalAccessToken(device.accountId, id, body.overlapSeconds);
  }
}
