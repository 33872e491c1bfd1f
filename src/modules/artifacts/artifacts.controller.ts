import { Controller, Get, Param, Query } from '@nestjs/common';
import { ControlController, CurrentCaller, RequireScopes, type Principal } from '../../access/auth';
import { singleResponse, Operation, listResponse } from '../../common/http';
import { ArtifactDto } from './artifact.response.dto';
import { ListArtifactsQueryDto } from './artifacts.dto';
import { ArtifactsService } from './artifacts.service';

/** Artifact routes of the External API (docs/protocol/external-api.md#endpoints). */
@Controller('external/v1/artifacts')
export class ArtifactsController {
  constructor(private readonly artifacts: ArtifactsService) {}

  @Get()
  @RequireScopes('artifacts:read')
  @Operation({
    id: 'listArtifacts',
    tag: 'Artifacts',
    summary: 'List artifacts',
    description: "Lists the account's artifacts, newest first.",
    response: listResponse(ArtifactDto),
    responseDescription: 'A page of artifacts.',
  })
  listArtifacts(@CurrentCaller() caller: Principal, @Query() query: ListArtifactsQueryDto) {
    return this.artifacts.listArtifacts(caller, query);
  }

  @Get(':id')
  @RequireScopes('artifacts:read')
  @Operation({
    id: 'getArtifact',
    tag: 'Artifacts',
    summary: 'Get an artifact',
    description: "One artifact's metadata.",
    response: singleResponse(ArtifactDto),
    responseDescription: 'The artifact.',
  })
  async getArtifact(@CurrentCaller() caller: Principal, @Param('id') id: string) {
    return { data: await this.artifacts.getArtifact(caller, id) };
  }
}

/** The same routes for account devices. */
@ControlController('artifacts')
export class ControlArtifactsController extends ArtifactsController {}
