import { Controller, Get, Param, Query } from '@nestjs/common';
import { CurrentToken, RequireScopes, type TokenPrincipal } from '../auth';
import { one, Operation, page } from '../common/http';
import { ArtifactRecord } from './artifact-record';
import { ArtifactQuery } from './artifacts.dto';
import { ArtifactsService } from './artifacts.service';

/** Artifacts as the External API shows them (external-api.md §3). */
@Controller('external/v1/artifacts')
export class ArtifactsController {
  constructor(private readonly artifacts: ArtifactsService) {}

  @Get()
  @RequireScopes('artifacts:read')
  @Operation({
    id: 'listArtifacts',
    tag: 'Artifacts',
    summary: 'List artifacts',
    description: "The account's artifacts, newest first.",
    answer: page(ArtifactRecord),
    returns: 'A page of artifacts.',
  })
  list(@CurrentToken() token: TokenPrincipal, @Query() query: ArtifactQuery) {
    return this.artifacts.list(token, query);
  }

  @Get(':id')
  @RequireScopes('artifacts:read')
  @Operation({
    id: 'getArtifact',
    tag: 'Artifacts',
    summary: 'Get an artifact',
    description: "One artifact's metadata.",
    answer: one(ArtifactRecord),
    returns: 'The artifact.',
  })
  async get(@CurrentToken() token: TokenPrincipal, @Param('id') id: string) {
    return { data: await this.artifacts.get(token, id) };
  }
}
