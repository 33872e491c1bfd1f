import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsInt, IsOptional, Max, Min } from 'class-validator';
import { MAX_TIME } from '../../common/http';
import { PageQueryDto } from '../../common/pages';
import { QUEUED_MESSAGE_STATES, type QueuedMessageState } from './queued-message.entity';

/** How a message is delivered. `resolveSchedule` checks how the times fit together. */
export class MessageDeliveryDto {
  /** `queue`: the service stores the message and delivers it when the host device of the session is online. */
  @ApiProperty({ type: String, enum: ['queue'], example: 'queue' })
  @IsIn(['queue'])
  mode!: 'queue';

  /** Earliest time of the delivery, in Unix ms. By default, as soon as possible. */
  @ApiPropertyOptional({ type: 'integer', format: 'int64', minimum: 0, example: 1_788_255_000_000, nullable: true })
  @IsOptional()
  @Max(MAX_TIME)
  @Min(0)
  @IsInt()
  notBefore?: number;

  /** Time from which the message is not delivered, in Unix ms: 7 days ahead at most, which is the default. */
  @ApiPropertyOptional({ type: 'integer', format: 'int64', minimum: 0, example: 1_788_341_400_000, nullable: true })
  @IsOptional()
  @Max(MAX_TIME)
  @Min(0)
  @IsInt()
  expiresAt?: number;
}

export class ListQueuedMessagesQueryDto extends PageQueryDto {
  /** Filters queued messages by state. */
  @IsOptional()
  @IsIn(QUEUED_MESSAGE_STATES)
  state?: QueuedMessageState;
}
