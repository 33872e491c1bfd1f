import { Controller, Get, Header, Param, Query, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { ArtifactsService } from '../../artifacts';
import { CurrentToken, RequireScopes, type TokenPrincipal } from '../../auth';
import { ApiError } from '../../common/errors';
import { AlsoProduces, content, Operation } from '../../common/http';
import { sendBytes, sendJson } from './content-answer';
import { ContentReader } from './content-reader';
import { PlaintextContent, SealedContent } from './content-record';
import { ContentQuery } from './content.dto';

const BYTES = 'application/octet-stream';

/** What is in an artifact, to those whom a key grant covers (encryption.md, Content endpoints). */
@Controller('external/v1/artifacts/:id/content')
export class ArtifactContentController {
  constructor(
    private readonly artifacts: ArtifactsService,
    private readonly reader: ContentReader,
  ) {}

  @Get()
  @Header('Cache-Control', 'no-store')
  @RequireScopes('artifacts:content')
  @AlsoProduces(BYTES)
  @Operation({
    id: 'getArtifactContent',
    tag: 'Artifacts',
    summary: "Get an artifact's content",
    description:
      'What is in the artifact, where a device has granted it, or its session, to this caller: in plaintext through ' +
      "a grant to the service, or sealed to a key of the caller's own. `Accept: application/octet-stream` gives the " +
      'plaintext as raw bytes.',
    answer: content([PlaintextContent, SealedContent], { raw: true }),
    returns: 'The content in one of its encodings.',
    errors: ['no_content_grant', 'grant_key_mismatch'],
  })
  async get(
    @CurrentToken() token: TokenPrincipal,
    @Param('id') id: string,
    @Query() { encoding }: ContentQuery,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const { sessionId, keySessionId } = await this.artifacts.keyOf(token.accountId, id);
    const text = () => this.artifacts.ciphertextOf(token.accountId, id);
    const asked = { sessionId: keySessionId, artifactId: id, encoding, text };
    const read = await this.reader.read(token, asked);
    const types = read.encoding === 'plaintext' ? ['application/json', BYTES] : ['application/json'];
    const chosen = request.accepts(types);
    if (!chosen) throw new ApiError('not_acceptable', 'Sealed content is available as application/json.');
    if (read.encoding === 'plaintext' && chosen === BYTES) sendBytes(response, read.bytes);
    else await sendJson(response, { id, sessionId }, read);
  }
}
