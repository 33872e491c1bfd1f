import { ApiProperty } from '@nestjs/swagger';
import { IdField } from '../../../common/http';

/** Reply to a relayed call, without an envelope: `{requestId, result}`. */
export class RelayReplyDto {
  /** Id of this call. Quote it when you contact support. */
  @IdField('req')
  requestId!: string;

  /** The device's reply: an object of at most 64 levels and 3 MiB, with numbers in the range of a double. */
  @ApiProperty({ type: 'object', additionalProperties: true })
  result!: Record<string, unknown>;
}
