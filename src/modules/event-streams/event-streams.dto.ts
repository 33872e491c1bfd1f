import { IsIn, IsOptional, IsString, Matches, MaxLength } from 'class-validator';
import { DELTA_KINDS } from '@external-api/protocol';
import { EVENT_TYPES } from '../../core/events';

/** A test event is for its webhook only. */
const TYPE_PATTERN = `(${EVENT_TYPES.filter((type) => type !== 'webhook.test')
  .join('|')
  .replaceAll('.', '\\.')})`;
const DELTA_KIND_PATTERN = `(${DELTA_KINDS.join('|')})`;
const MAX_TYPES_LENGTH = 1_024;
const MAX_CURSOR_LENGTH = 16_384;

export class StreamEventsQueryDto {
  /** Comma-separated list of event types to send. Without it, all that the caller may see. */
  @IsOptional()
  @Matches(new RegExp(`^${TYPE_PATTERN}(,${TYPE_PATTERN})*$`), {
    message: '$property must be a comma-separated list of event types',
  })
  @MaxLength(MAX_TYPES_LENGTH)
  @IsString()
  types?: string;

  /** Id of the last event that the caller has seen, from which the stream resumes. `Last-Event-ID` takes precedence. */
  @IsOptional()
  @MaxLength(MAX_CURSOR_LENGTH)
  @IsString()
  lastEventId?: string;
}

export class StreamSessionEventsQueryDto extends StreamEventsQueryDto {
  /**
   * Encoding of the `content` that `message.created` and `permission.requested` contain. It requires
   * `sessions:content`, and a key grant for each event.
   */
  @IsOptional()
  @IsIn(['none', 'sealed', 'plaintext'])
  content?: 'none' | 'sealed' | 'plaintext' = 'none';

  /**
   * Comma-separated list of the kinds of `delta` events to send while an agent works: `message` (text that it is
   * writing), `thought`, `tool` (a tool call from its beginning) and `plan`. Only with `content`. The default sends
   * `message`, without `kind`.
   */
  @IsOptional()
  @Matches(new RegExp(`^${DELTA_KIND_PATTERN}(,${DELTA_KIND_PATTERN})*$`), {
    message: '$property must be a comma-separated list of message, thought, tool and plan',
  })
  @MaxLength(MAX_TYPES_LENGTH)
  @IsString()
  deltas?: string;
}
