import { ApiProperty } from '@nestjs/swagger';
import { UnixTimeField } from '../../common/http';

/** Deprecation notice in the response of `/me` (docs/protocol/external-api.md#deprecations). */
export class DeprecationNoticeDto {
  /**
   * Stable name of the notice.
   * @example list-sessions-v1
   */
  id!: string;

  /** @example GET */
  method!: string;

  /**
   * Path of the route from the host root, with placeholders in braces.
   * @example /external/v1/sessions
   */
  path!: string;

  @ApiProperty({ example: 'Use the new list instead.' })
  message!: string;

  @UnixTimeField()
  deprecatedAt!: number;

  /** Time from which the route returns 410. Null if it is not decided yet. */
  @UnixTimeField(1_803_807_000_000)
  sunsetAt!: number | null;

  /**
   * Path of the replacement, from the host root.
   * @example /external/v2/sessions
   */
  replacement!: string | null;

  /**
   * URL of the page that explains the deprecation.
   * @example https://api.test/docs/deprecations#list-sessions-v1
   */
  docUrl!: string;
}
