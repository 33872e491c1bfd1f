import { Body, Controller, Delete, Get, HttpCode, Param, Post, Query, Res } from '@nestjs/common';
import type { Response } from 'express';
import { CurrentDevice, DeviceOrBrowserOnly, type DevicePrincipal } from '../../access/auth';
import { buildIdExample, listResponse, noContentResponse, Operation, singleResponse } from '../../common/http';
import { PageQueryDto } from '../../common/pages';
import { CreateKeyGrantService } from './create-key-grant.service';
import { KeyGrantDto } from './key-grant.response.dto';
import { CreateKeyGrantDto } from './key-grants.dto';
import { KeyGrantsService } from './key-grants.service';

/** Key grants of a session, managed by devices (docs/protocol/encryption.md#key-grants). */
@Controller('v1/sessions/:id/key-grants')
export class SessionKeyGrantsController {
  constructor(
    private readonly keyGrantsService: KeyGrantsService,
    private readonly createKeyGrantService: CreateKeyGrantService,
  ) {}

  @Post()
  @DeviceOrBrowserOnly('key-grants.manage')
  @Operation({
    id: 'createSessionKeyGrant',
    tag: 'Account',
    summary: "Grant the key of a session's content",
    description:
      "Lets callers read the session's messages through the service or with their own key, which the service never " +
      'has. For the service, `sealedKey` contains `{"key": <oct JWK>, "aud": <host URL>, "accountId", "sessionId", ' +
      '"artifactId": null, "tokenId", "appId", "expiresAt"}`, each as in the grant, sealed to the key that ' +
      "`GET /v1/key-grants/recipient` names. For a caller's own key it contains only the `oct` JWK. A machine can " +
      'grant sessions that it hosts.',
    response: singleResponse(KeyGrantDto),
    responseDescription: 'The new grant.',
    existingResponseDescription:
      'The existing grant of the same recipient, token and app, with the new key and `expiresAt`.',
    errorCodes: ['grant_key_mismatch', 'plan_limit_exceeded'],
    examples: {
      request: {
        recipient: 'service',
        sealedKey: 'eyJhbGciOiJFQ0RILUVTK0EyNTZLVyIs….….….….…',
        tokenId: buildIdExample('tok'),
      },
    },
  })
  async createSessionKeyGrant(
    @CurrentDevice() device: DevicePrincipal,
    @Param('id') sessionId: string,
    @Body() body: CreateKeyGrantDto,
    @Res({ passthrough: true }) response: Response,
  ) {
    const { grant, created } = await this.createKeyGrantService.createKeyGrant(device, { sessionId }, body);
    response.status(created ? 201 : 200);
    return { data: grant };
  }

  @Get()
  @DeviceOrBrowserOnly('key-grants.manage')
  @Operation({
    id: 'listSessionKeyGrants',
    tag: 'Account',
    summary: 'List key grants of a session',
    description: 'Lists the active grants of the session, without the sealed keys.',
    response: listResponse(KeyGrantDto),
  })
  listSessionKeyGrants(
    @CurrentDevice() device: DevicePrincipal,
    @Param('id') sessionId: string,
    @Query() query: PageQueryDto,
  ) {
    return this.keyGrantsService.listKeyGrants(device, { sessionId }, query);
  }

  @Delete(':grantId')
  @HttpCode(204)
  @DeviceOrBrowserOnly('key-grants.manage')
  @Operation({
    id: 'revokeSessionKeyGrant',
    tag: 'Account',
    summary: 'Revoke a key grant of a session',
    description: 'Ends the grant. The service no longer decrypts for its callers. A caller that has the key keeps it.',
    response: noContentResponse,
    responseDescription: 'The grant is revoked.',
  })
  revokeSessionKeyGrant(
    @CurrentDevice() device: DevicePrincipal,
    @Param('id') sessionId: string,
    @Param('grantId') grantId: string,
  ): Promise<void> {
    return this.keyGrantsService.revokeKeyGrant(device, { sessionId }, grantId);
  }
}
