import { Body, Controller, Delete, Get, HttpCode, Param, Post, Put, Query, Res } from '@nestjs/common';
import type { Response } from 'express';
import { CurrentDevice, DeviceOnly, type DevicePrincipal } from '../../access/auth';
import { ReserveResponseBytes } from '../../access/backpressure';
import { MaxBodyBytes, streamPage } from '../../common/http';
import { MAX_PAGE_BYTES } from '../../common/pages';
import { ListArtifactsQueryDto, CreateArtifactDto, ReplaceArtifactContentDto } from './artifacts.dto';
import { ArtifactsService } from './artifacts.service';
import { ChangeArtifactService } from './change-artifact.service';
import { CreateArtifactService } from './create-artifact.service';

const ARTIFACT_MAX_BYTES = 8 * 1_048_576;

/** Artifact routes for devices (docs/protocol/device-api.md#sync). */
@Controller('v1/artifacts')
export class DeviceArtifactsController {
  constructor(
    private readonly artifacts: ArtifactsService,
    private readonly createArtifactService: CreateArtifactService,
    private readonly changeArtifactService: ChangeArtifactService,
  ) {}

  @Post()
  @MaxBodyBytes(ARTIFACT_MAX_BYTES)
  @DeviceOnly('artifacts.write')
  async createArtifact(
    @CurrentDevice() device: DevicePrincipal,
    @Body() body: CreateArtifactDto,
    @Res({ passthrough: true }) response: Response,
  ) {
    const { artifact, created } = await this.createArtifactService.createArtifact(device, body);
    response.status(created ? 201 : 200);
    return { data: artifact };
  }

  @Get()
  @ReserveResponseBytes(MAX_PAGE_BYTES)
  @DeviceOnly('artifacts.read')
  async listArtifacts(
    @CurrentDevice() device: DevicePrincipal,
    @Query() query: ListArtifactsQueryDto,
    @Res() response: Response,
  ): Promise<void> {
    await streamPage(response, await this.artifacts.listArtifactsForDevice(device, query));
  }

  @Get(':id')
  @ReserveResponseBytes(ARTIFACT_MAX_BYTES)
  @DeviceOnly('artifacts.read')
  async getArtifact(@CurrentDevice() device: DevicePrincipal, @Param('id') id: string) {
    return { data: await this.artifacts.getArtifactForDevice(device, id) };
  }

  @Put(':id/content')
  @MaxBodyBytes(ARTIFACT_MAX_BYTES)
  @DeviceOnly('artifacts.write')
  async replaceArtifactContent(
    @CurrentDevice() device: DevicePrincipal,
    @Param('id') id: string,
    @Body() body: ReplaceArtifactContentDto,
  ) {
    return { data: await this.changeArtifactService.replaceContent(device, id, body) };
  }

  @Delete(':id')
  @HttpCode(204)
  @DeviceOnly('artifacts.write')
  deleteArtifact(@CurrentDevice() device: DevicePrincipal, @Param('id') id: string): Promise<void> {
    return this.changeArtifactService.deleteArtifact(device, id);
  }
}
