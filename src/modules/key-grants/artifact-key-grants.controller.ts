import { Body, Controller, Delete, Get, HttpCode, Param, Post, Query, Res } from '@nestjs/common';
import type { Response } from 'express';
import { CurrentDevice, DeviceOrBrowserOnly, type DevicePrincipal } from '../../access/auth';
import { buildIdExample, listResponse, noContentResponse, Operation, singleResponse } from '../../common/http';
import { PageQueryDto } from '../../common/pages';
import { KeyGrantDto } from './key-grant.response.dto';
import { CreateKeyGrantService } from './create-key-grant.service';
import { CreateKeyGrantDto } from './key-grants.dto';
import { KeyGrantsService } from './key-grants.service';

/** Key grants of an artifact, managed by devices (docs/protocol/encryption.md#key-grants). */
@Controller('v1/artifacts/:id/key-grants')
export class ArtifactKeyGrantsController {
  constructor(
    private readonly keyGrantsService: KeyGrantsService,
    private readonly createKeyGrantService: CreateKeyGrantService,
  ) {}

  @Post()
  @DeviceOrBrowserOnly('key-grants.manage')
  @Operation({
    id: 'createArtifactKeyGrant',
    tag: 'Account',
    summary: "Grant the key of an artifact's content",
    description:
      "Lets callers read the artifact's content through the service or with their own key, as for sessions. " +
      '`sessionId` of the sealed payload is null and `artifactId` names the artifact.',
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
  async createArtifactKeyGrant(
    @CurrentDevice() device: DevicePrincipal,
    @Param('id') artifactId: string,
    @Body() body: CreateKeyGrantDto,
    @Res({ passthrough: true }) response: Response,
  ) {
    const { grant, created } = await this.createKeyGrantService.createKeyGrant(device, { artifactId }, body);
    response.status(created ? 201 : 200);
    return { data: grant };
  }

  @Get()
  @DeviceOrBrowserOnly('key-grants.manage')
  @Operation({
    id: 'listArtifactKeyGrants',
    tag: 'Account',
    summary: 'List key grants of an artifact',
    description: 'Lists the active grants of the artifact, without the sealed keys.',
    response: listResponse(KeyGrantDto),
  })
  listArtifactKeyGrants(
    @CurrentDevice() device: DevicePrincipal,
    @Param('id') artifactId: string,
    @Query() query: PageQueryDto,
  ) {
    return this.keyGrantsService.listKeyGrants(device, { artifactId }, query);
  }

  @Delete(':grantId')
  @HttpCode(204)
  @DeviceOrBrowserOnly('key-grants.manage')
  @Operation({
    id: 'revokeArtifactKeyGrant',
    tag: 'Account',
    summary: 'Revoke a key grant of an artifact',
    description: 'Ends the grant. The service no longer decrypts for its callers. A caller that has the key keeps it.',
    response: noContentResponse,
    responseDescription: 'The grant is revoked.',
  })
  revokeArtifactKeyGrant(
    @CurrentDevice() device: DevicePrincipal,
    @Param('id') artifactId: string,
    @Param('grantId') grantId: string,
  ): Promise<void> {
    return this.keyGrantsService.revokeKeyGrant(device, { artifactId }, grantId);
  }
}
