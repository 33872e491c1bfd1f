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
   * Returns the text. Request validation has checked that a sealed text has a `localId`, and that there is a text at
   * all.
   * @throws ApiError 400 for a text that is given in both ways
   */
  readText({ content, sealedContent, localId }: SendMessageDto): MessageText {
    if (!sealedContent) {
      if (localId) throw invalidBodyError('/localId', 'not_allowed', 'must not be given without sealedContent');
      return { content: content! };
    }
    if (content) throw invalidBodyError('/sealedContent', 'not_allowed', 'must not be given with content');
    return { sealedContent, localId: localId! };
  }

  /**
   * Checks the form and binding of a sealed text, which the service can't decrypt.
   * @throws ApiError 400 for one that is malformed or bound to another place; 404
   */
  async checkText(accountId: string, sessionId: string, text: MessageText): Promise<void> {
    if (!('sealedContent' in text)) return;
    const violation = await this.sessions.findMessageFormatViolation(accountId, sessionId, text);
    if (violation) throw invalidBodyError('/sealedContent', 'invalid_jwe', violation);
  }
}
