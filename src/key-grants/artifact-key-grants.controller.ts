import { Body, Controller, Delete, Get, HttpCode, Param, Post, Query, Res } from '@nestjs/common';
import type { Response } from 'express';
import { CurrentDevice, DeviceOnly, type DevicePrincipal } from '../auth';
import { PageQuery } from '../common/pages';
import { CreateKeyGrantService } from './create-key-grant.service';
import { CreateKeyGrantDto } from './key-grants.dto';
import { KeyGrantsService } from './key-grants.service';

/** Who may read an artifact, as its devices say (encryption.md, Key grants). */
@Controller('v1/artifacts/:id/key-grants')
export class ArtifactKeyGrantsController {
  constructor(
    private readonly grants: KeyGrantsService,
    private readonly creation: CreateKeyGrantService,
  ) {}

  @Post()
  @DeviceOnly('key-grants.manage')
  async create(
    @CurrentDevice() device: DevicePrincipal,
    @Param('id') artifactId: string,
    @Body() body: CreateKeyGrantDto,
    @Res({ passthrough: true }) response: Response,
  ) {
    const { grant, created } = await this.creation.create(device, { artifactId }, body);
    response.status(created ? 201 : 200);
    return { data: grant };
  }

  @Get()
  @DeviceOnly('key-grants.manage')
  list(@CurrentDevice() device: DevicePrincipal, @Param('id') artifactId: string, @Query() query: PageQuery) {
    return this.grants.list(device, { artifactId }, query);
  }

  @Delete(':grantId')
  @HttpCode(204)
  @DeviceOnly('key-grants.manage')
  revoke(
    @CurrentDevice() device: DevicePrincipal,
    @Param('id') artifactId: string,
    @Param('grantId') grantId: string,
  ): Promise<void> {
    return this.grants.revoke(device, { artifactId }, grantId);
  }
}
