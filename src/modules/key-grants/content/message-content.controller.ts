import { Controller, Get, Header, Param, Query, Res } from '@nestjs/common';
import type { Response } from 'express';
import { CurrentToken, RequireScopes, type TokenPrincipal } from '../../../access/auth';
import { ReserveResponseBytes } from '../../../access/backpressure';
import { contentResponse, Operation } from '../../../common/http';
import { MessagesService } from '../../messages';
import { sendContentJson } from './content-response';
import { ContentReader } from './content-reader';
import { PlaintextContentDto, SealedContentDto } from './content.response.dto';
import { GetContentQueryDto } from './content.dto';

/** Maximum size of a message's text and its JSON. */
const MESSAGE_CONTENT_MAX_BYTES = 1_048_576;

/** Content of a message, for callers covered by a key grant (docs/protocol/encryption.md#content-endpoints). */
@Controller('external/v1/sessions/:id/messages/:msgId/content')
export class MessageContentController {
  constructor(
    private readonly messages: MessagesService,
    private readonly contentReader: ContentReader,
  ) {}

  @Get()
  @ReserveResponseBytes(MESSAGE_CONTENT_MAX_BYTES)
  @Header('Cache-Control', 'no-store')
  @RequireScopes('sessions:content')
  @Operation({
    id: 'getMessageContent',
    tag: 'Sessions',
    summary: "Get a message's content",
    description:
      'Returns the content of the message if a device has granted it to this caller: in plaintext with a grant to ' +
      "the service, or sealed with a grant to the caller's own key.",
    response: contentResponse([PlaintextContentDto, SealedContentDto], { raw: false }),
    responseDescription: 'The content in one of its encodings.',
    errorCodes: ['no_content_grant', 'grant_key_mismatch'],
  })
  async getMessageContent(
    @CurrentToken() token: TokenPrincipal,
    @Param('id') sessionId: string,
    @Param('msgId') messageId: string,
    @Query() { encoding }: GetContentQueryDto,
    @Res() response: Response,
  ): Promise<void> {
    await this.messages.requireMessage(token.accountId, sessionId, messageId);
    const loadCiphertext = () => this.messages.getCiphertext(token.accountId, sessionId, messageId);
    const result = await this.contentReader.readContent(token, {
      sessionId,
      artifactId: null,
      encoding,
      loadCiphertext,
    });
    await sendContentJson(response, { id: messageId, sessionId }, result);
  }
}
