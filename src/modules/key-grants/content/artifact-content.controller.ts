import { Controller, Get, Header, Param, Query, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { ArtifactsService } from '../../artifacts';
import { CurrentToken, RequireScopes, type TokenPrincipal } from '../../../access/auth';
import { ReserveResponseBytes } from '../../../access/backpressure';
import { ApiError } from '../../../common/errors';
import { AlsoProduces, contentResponse, Operation } from '../../../common/http';
import { MAX_PAGE_BYTES } from '../../../common/pages';
import { sendContentBytes, sendContentJson } from './content-response';
import { ContentReader } from './content-reader';
import { PlaintextContentDto, SealedContentDto } from './content.response.dto';
import { GetContentQueryDto } from './content.dto';

const OCTET_STREAM = 'application/octet-stream';

/** Content of an artifact, for callers covered by a key grant (docs/protocol/encryption.md#content-endpoints). */
@Controller('external/v1/artifacts/:id/content')
export class ArtifactContentController {
  constructor(
    private readonly artifacts: ArtifactsService,
    private readonly contentReader: ContentReader,
  ) {}

  @Get()
  @ReserveResponseBytes(MAX_PAGE_BYTES)
  @Header('Cache-Control', 'no-store')
  @RequireScopes('artifacts:content')
  @AlsoProduces(OCTET_STREAM)
  @Operation({
    id: 'getArtifactContent',
    tag: 'Artifacts',
    summary: "Get an artifact's content",
    description:
      'Returns the content of the artifact if a device has granted it or its session to this caller: in plaintext ' +
      "with a grant to the service, or sealed with a grant to the caller's own key. `Accept: " +
      'application/octet-stream` returns the plaintext as raw bytes.',
    response: contentResponse([PlaintextContentDto, SealedContentDto], { raw: true }),
    responseDescription: 'The content in one of its encodings.',
    errorCodes: ['no_content_grant', 'grant_key_mismatch'],
  })
  async getArtifactContent(
    @CurrentToken() token: TokenPrincipal,
    @Param('id') id: string,
    @Query() { encoding }: GetContentQueryDto,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const { sessionId, keySessionId } = await this.artifacts.getKeyOrigin(token.accountId, id);
    const loadCiphertext = () => this.artifacts.getCiphertext(token.accountId, id);
    const readRequest = { sessionId: keySessionId, artifactId: id, encoding, loadCiphertext };
    const result = await this.contentReader.readContent(token, readRequest);
    const acceptableTypes = result.encoding === 'plaintext' ? ['application/json', OCTET_STREAM] : ['application/json'];
    const mediaType = request.accepts(acceptableTypes);
    if (!mediaType) throw new ApiError('not_acceptable', 'Sealed content is only available as application/json.');
    if (result.encoding === 'plaintext' && mediaType === OCTET_STREAM) sendContentBytes(response, result.bytes);
    else await sendContentJson(response, { id, sessionId }, result);
  }
}
