import { ApiProperty } from '@nestjs/swagger';
import { IdField } from '../../common/http';

/** What the caller gets: `{requestId, result}`, bare. */
export class RelayReply {
  /** To be quoted when asking for help. */
  @IdField('req')
  requestId!: string;

  /** What the device replied, as it sent it: an object of at most 64 levels and 3 MiB. */
  @ApiProperty({ type: 'object', additionalProperties: true })
  result!: Record<string, unknown>;
}
