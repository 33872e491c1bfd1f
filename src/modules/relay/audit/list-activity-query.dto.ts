import { IsIn, IsOptional, IsString, MaxLength } from 'class-validator';
import { QueryTime } from '../../../common/http';
import { PageQueryDto } from '../../../common/pages';

/** How a call ended, as its owner sees it. `failed` is everything but `done`. */
export const ACTIVITY_OUTCOMES = ['done', 'failed', 'timed_out', 'device_error', 'not_delivered', 'unknown'] as const;
export type ActivityOutcome = (typeof ACTIVITY_OUTCOMES)[number];

/** Filters of the account's relayed calls. */
export class ListActivityQueryDto extends PageQueryDto {
  /** Id of the calling token, or client id of the calling app. */
  @IsOptional()
  @MaxLength(100)
  @IsString()
  callerId?: string;

  /** Id of the device that got the call. */
  @IsOptional()
  @MaxLength(100)
  @IsString()
  deviceId?: string;

  @IsOptional()
  @IsIn(ACTIVITY_OUTCOMES)
  outcome?: ActivityOutcome;

  /** Returns only calls since this time, in Unix ms, inclusive. */
  @QueryTime()
  since?: number;

  /** Returns only calls until this time, in Unix ms, exclusive. */
  @QueryTime()
  until?: number;
}
