import { Body, Controller, Delete, Get, HttpCode, Param, Post, Put, Query, Res } from '@nestjs/common';
import type { Response } from 'express';
import { CurrentDevice, DeviceOnly, type DevicePrincipal } from '../auth';
import { BodyLimit } from '../common/http';
import { ArtifactQuery, CreateArtifactDto, ReplaceContentDto } from './artifacts.dto';
import { ArtifactsService } from './artifacts.service';
import { ChangeArtifactService } from './change-artifact.service';
import { CreateArtifactService } from './create-artifact.service';

const ARTIFACT_BYTES = 8 * 1_048_576;

/** Artifacts as devices keep them (device-api.md, Sync). */
@Controller('v1/artifacts')
export class DeviceArtifactsController {
  constructor(
    private readonly artifacts: ArtifactsService,
    private readonly creation: CreateArtifactService,
    private readonly changes: ChangeArtifactService,
  ) {}

  @Post()
  @BodyLimit(ARTIFACT_BYTES)
  @DeviceOnly('artifacts.write')
  async create(
    @CurrentDevice() device: DevicePrincipal,
    @Body() body: CreateArtifactDto,
    @Res({ passthrough: true }) response: Response,
  ) {
    const { artifact, created } = await this.creation.create(device, body);
    response.status(created ? 201 : 200);
    return { data: artifact };
  }

  @Get()
  @DeviceOnly('artifacts.read')
  list(@CurrentDevice() device: DevicePrincipal, @Query() query: ArtifactQuery) {
    return this.artifacts.listForDevice(device, query);
  }

  @Get(':id')
  @DeviceOnly('artifacts.read')
  async get(@CurrentDevice() device: DevicePrincipal, @Param('id') id: string) {
    return { data: await this.artifacts.getForDevice(device, id) };
  }

  @Put(':id/content')
  @BodyLimit(ARTIFACT_BYTES)
  @DeviceOnly('artifacts.write')
  async replace(@CurrentDevice() device: DevicePrincipal, @Param('id') id: string, @Body() body: ReplaceContentDto) {
    return { data: await this.changes.replace(device, id, body) };
  }

  @Delete(':id')
  @HttpCode(204)
  @DeviceOnly('artifacts.write')
  delete(@CurrentDevice() device: DevicePrincipal, @Param('id') id: string): Promise<void> {
    return this.changes.delete(device, id);
  }
}
