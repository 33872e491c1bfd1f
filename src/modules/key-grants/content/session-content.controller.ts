import { Controller, Get, Header, Param, Query, Res } from '@nestjs/common';
import type { Response } from 'express';
import { CurrentToken, RequireScopes, type TokenPrincipal } from '../../../access/auth';
import { ReserveResponseBytes } from '../../../access/backpressure';
import { contentResponse, Operation } from '../../../common/http';
import { SessionsService } from '../../sessions';
import { sendContentJson } from './content-response';
import { ContentReader } from './content-reader';
import { PlaintextContentDto, SealedContentDto } from './content.response.dto';
import { GetContentQueryDto } from './content.dto';

/** Maximum size of a session's metadata and its JSON. */
const SESSION_CONTENT_MAX_BYTES = 262_144;

/** Title and folder of a session, for callers with a key grant (docs/protocol/encryption.md#content-endpoints). */
@Controller('external/v1/sessions/:id/content')
export class SessionContentController {
  constructor(
    private readonly sessions: SessionsService,
    private readonly contentReader: ContentReader,
  ) {}

  @Get()
  @ReserveResponseBytes(SESSION_CONTENT_MAX_BYTES)
  @Header('Cache-Control', 'no-store')
  @RequireScopes('sessions:content')
  @Operation({
    id: 'getSessionContent',
    tag: 'Sessions',
    summary: "Get a session's title and folder",
    description:
      'Returns what the device of the session has encrypted about it, if a device has granted the key of the session ' +
      'to this caller: in plaintext with a grant to the service, or sealed with a grant to the caller’s own key. It ' +
      'is JSON with the members `title` and `cwd`, the folder of the agent. Either may be missing, and there may be ' +
      'others. 404 if the device has stored nothing.',
    response: contentResponse([PlaintextContentDto, SealedContentDto], { raw: false }),
    responseDescription: 'The content in one of its encodings.',
    errorCodes: ['no_content_grant', 'grant_key_mismatch'],
  })
  async getSessionContent(
    @CurrentToken() token: TokenPrincipal,
    @Param('id') sessionId: string,
    @Query() { encoding }: GetContentQueryDto,
    @Res() response: Response,
  ): Promise<void> {
    await this.sessions.getSessionRoute(token.accountId, sessionId);
    const loadCiphertext = () => this.sessions.getCiphertext(token.accountId, sessionId);
    const result = await this.contentReader.readContent(token, {
      sessionId,
      artifactId: null,
      encoding,
      loadCiphertext,
    });
    await sendContentJson(response, { id: sessionId, sessionId }, result);
  }
}
