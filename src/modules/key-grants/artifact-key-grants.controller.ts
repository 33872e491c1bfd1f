import { Body, Controller, Delete, Get, HttpCode, Param, Post, Query, Res } from '@nestjs/common';
import type { Response } from 'express';
import { CurrentDevice, DeviceOnly, type DevicePrincipal } from '../../access/auth';
import { PageQueryDto } from '../../common/pages';
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
  @DeviceOnly('key-grants.manage')
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
  @DeviceOnly('key-grants.manage')
  listArtifactKeyGrants(
    @CurrentDevice() device: DevicePrincipal,
    @Param('id') artifactId: string,
    @Query() query: PageQueryDto,
  ) {
    return this.keyGrantsService.listKeyGrants(device, { artifactId }, query);
  }

  @Delete(':grantId')
  @HttpCode(204)
  @DeviceOnly('key-grants.manage')
  revokeArtifactKeyGrant(
    @CurrentDevice() device: DevicePrincipal,
    @Param('id') artifactId: string,
    @Param('grantId') grantId: string,
  ): Promise<void> {
    return this.keyGrantsService.revokeKeyGrant(device, { artifactId }, grantId);
  }
}
