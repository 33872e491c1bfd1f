import { Injectable } from '@nestjs/common';
import { invalidBodyError } from '../../../common/errors';
import type { MessageText } from '../../queued-messages';
import { SessionsService } from '../../sessions';
import type { SendMessageDto } from './relay.dto';

/** Reads the text of a message, which its sender may have sealed (docs/protocol/encryption.md#sealed-messages). */
@Injectable()
export class MessageTextService {
  constructor(private readonly sessions: SessionsService) {}

  /**
   * Returns the text. The service can't decrypt a sealed one, and checks its form and binding. Request validation has
   * checked that a sealed text has a `localId`, and that there is a text at all.
   * @throws ApiError 400 for a text that is given in both ways, and for a sealed one that is malformed or bound to
   *   another place; 404
   */
  async readText(accountId: string, sessionId: string, body: SendMessageDto): Promise<MessageText> {
    const { content, sealedContent, localId } = body;
    if (!sealedContent) {
      if (localId) throw invalidBodyError('/localId', 'not_allowed', 'must not be given without sealedContent');
      return { content: content! };
    }
    if (content) throw invalidBodyError('/sealedContent', 'not_allowed', 'must not be given with content');
    const sealed = { sealedContent, localId: localId! };
    const violation = await this.sessions.findMessageFormatViolation(accountId, sessionId, sealed);
    if (violation) throw invalidBodyError('/sealedContent', 'invalid_jwe', violation);
    return sealed;
  }
}
