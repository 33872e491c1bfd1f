import { Controller, Get, Header, Param, Query, Res } from '@nestjs/common';
import type { Response } from 'express';
import { CurrentToken, RequireScopes, type TokenPrincipal } from '../../auth';
import { content, Operation } from '../../common/http';
import { MessagesService } from '../../messages';
import { sendJson } from './content-answer';
import { ContentReader } from './content-reader';
import { PlaintextContent, SealedContent } from './content-record';
import { ContentQuery } from './content.dto';

/** What a message says, to those whom a key grant covers (encryption.md, Content endpoints). */
@Controller('external/v1/sessions/:id/messages/:messageId/content')
export class MessageContentController {
  constructor(
    private readonly messages: MessagesService,
    private readonly reader: ContentReader,
  ) {}

  @Get()
  @Header('Cache-Control', 'no-store')
  @RequireScopes('sessions:content')
  @Operation({
    id: 'getMessageContent',
    tag: 'Sessions',
    summary: "Get a message's content",
    description:
      'What the message says, where a device has granted it to this caller: in plaintext through a grant to the ' +
      "service, or sealed to a key of the caller's own.",
    answer: content([PlaintextContent, SealedContent], { raw: false }),
    returns: 'The content in one of its encodings.',
    errors: ['no_content_grant', 'grant_key_mismatch'],
  })
  async get(
    @CurrentToken() token: TokenPrincipal,
    @Param('id') sessionId: string,
    @Param('messageId') messageId: string,
    @Query() { encoding }: ContentQuery,
    @Res() response: Response,
  ): Promise<void> {
    await this.messages.require(token.accountId, sessionId, messageId);
    const text = () => this.messages.ciphertextOf(token.accountId, sessionId, messageId);
    const read = await this.reader.read(token, { sessionId, artifactId: null, encoding, text });
    await sendJson(response, { id: messageId, sessionId }, read);
  }
}
