import { Controller, Get, Param, Query } from '@nestjs/common';
import { CurrentToken, RequireScopes, type TokenPrincipal } from '../../access/auth';
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
  listArtifacts(@CurrentToken() token: TokenPrincipal, @Query() query: ListArtifactsQueryDto) {
    return this.artifacts.listArtifacts(token, query);
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
  async getArtifact(@CurrentToken() token: TokenPrincipal, @Param('id') id: string) {
    return { data: await this.artifacts.getArtifact(token, id) };
  }
}
