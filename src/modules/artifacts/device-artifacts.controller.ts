import { Body, Controller, Delete, Get, HttpCode, Param, Post, Put, Query, Res } from '@nestjs/common';
import type { Response } from 'express';
import { CurrentDevice, DeviceOnly, DeviceOrBrowserOnly, type DevicePrincipal } from '../../access/auth';
import { ReserveResponseBytes } from '../../access/backpressure';
import {
  MaxBodyBytes,
  noContentResponse,
  Operation,
  singleResponse,
  streamedListResponse,
  streamPage,
} from '../../common/http';
import { MAX_PAGE_BYTES } from '../../common/pages';
import { DeviceArtifactDto } from './artifact.response.dto';
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
  @Operation({
    id: 'createArtifact',
    tag: 'Artifacts',
    summary: 'Create an artifact',
    description:
      'Stores an encrypted file. A repeat with the same `tag` returns the existing artifact, for its host and for ' +
      'account devices.',
    response: singleResponse(DeviceArtifactDto),
    responseDescription: 'The new artifact.',
    existingResponseDescription: 'The existing artifact, unchanged.',
    errorCodes: ['not_found', 'plan_limit_exceeded', 'conflict'],
    examples: {
      request: {
        tag: 'coverage-report',
        mediaType: 'text/html',
        dataKey: { kid: 'k1', sealed: 'eyJhbGciOiJFQ0RILUVTK0EyNTZLVyIs….….….….…' },
        content: 'eyJhbGciOiJkaXIiLCJlbmMiOiJBMjU2R0NNIn0..….….…',
      },
    },
  })
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
  @DeviceOrBrowserOnly('artifacts.read')
  @Operation({
    id: 'listArtifactsForDevice',
    tag: 'Artifacts',
    summary: 'List artifacts',
    description:
      'Lists artifacts with their ciphertext. A machine device lists only artifacts that it hosts. A page ends ' +
      'early at 8 MiB of content.',
    response: streamedListResponse(DeviceArtifactDto),
  })
  async listArtifacts(
    @CurrentDevice() device: DevicePrincipal,
    @Query() query: ListArtifactsQueryDto,
    @Res() response: Response,
  ): Promise<void> {
    await streamPage(response, await this.artifacts.listArtifactsForDevice(device, query));
  }

  @Get(':id')
  @ReserveResponseBytes(ARTIFACT_MAX_BYTES)
  @DeviceOrBrowserOnly('artifacts.read')
  @Operation({
    id: 'getArtifactForDevice',
    tag: 'Artifacts',
    summary: 'Get an artifact',
    description: 'Returns the artifact with its ciphertext and its data key.',
    response: singleResponse(DeviceArtifactDto),
  })
  async getArtifact(@CurrentDevice() device: DevicePrincipal, @Param('id') id: string) {
    return { data: await this.artifacts.getArtifactForDevice(device, id) };
  }

  @Put(':id/content')
  @MaxBodyBytes(ARTIFACT_MAX_BYTES)
  @DeviceOnly('artifacts.write')
  @Operation({
    id: 'replaceArtifactContent',
    tag: 'Artifacts',
    summary: 'Replace the content of an artifact',
    description:
      'Stores new content for the next version. A stale `expectedVersion` is 409, with the present version in ' +
      '`current`.',
    response: singleResponse(DeviceArtifactDto),
    responseDescription: 'The artifact with its new version.',
    errorCodes: ['plan_limit_exceeded', 'conflict'],
    examples: {
      request: { content: 'eyJhbGciOiJkaXIiLCJlbmMiOiJBMjU2R0NNIn0..….….…', expectedVersion: 3 },
    },
  })
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
  @Operation({
    id: 'deleteArtifact',
    tag: 'Artifacts',
    summary: 'Delete an artifact',
    description: 'Deletes the artifact with its content and key grants.',
    response: noContentResponse,
    responseDescription: 'The artifact is deleted.',
  })
  deleteArtifact(@CurrentDevice() device: DevicePrincipal, @Param('id') id: string): Promise<void> {
    return this.changeArtifactService.deleteArtifact(device, id);
  }
}
