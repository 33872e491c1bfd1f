import { Injectable, Logger } from '@nestjs/common';
import { Clock, MINUTE } from '../common/clock';
import { ExternalTokensRepository, type PresentedSecret } from './external-tokens.repository';

/** When a token was last used, written at most once a minute. */
@Injectable()
export class LastUse {
  private readonly logger = new Logger('ExternalTokens');
  private readonly underWay = new Set<string>();

  constructor(
    private readonly tokens: ExternalTokensRepository,
    private readonly clock: Clock,
  ) {}

  /** Behind the call: that a token was used is no reason to make its caller wait. */
  note(token: PresentedSecret): void {
    const now = this.clock.now();
    const isRecent = token.last_used_at && token.last_used_at.getTime() > now - MINUTE;
    if (isRecent || this.underWay.has(token.id)) return;
    this.underWay.add(token.id);
    this.write(token, now)
      .catch((error: Error) => {
        this.logger.warn({ tokenId: token.id, reason: error.message }, 'last use was not noted');
      })
      .finally(() => this.underWay.delete(token.id));
  }

  /** The look-up serves more calls, which go on from what the table holds now. */
  private async write(token: PresentedSecret, now: number): Promise<void> {
    token.last_used_at = await this.tokens.touch(token.id, new Date(now), new Date(now - MINUTE));
  }
}
