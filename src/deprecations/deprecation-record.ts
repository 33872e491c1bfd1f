import { ApiProperty } from '@nestjs/swagger';
import { TimeField } from '../common/http';

/** A notice as `/me` tells it (external-api.md §1, Deprecations). */
export class DeprecationNotice {
  /**
   * Stable name of the notice.
   * @example list-sessions-v1
   */
  id!: string;

  /** @example GET */
  method!: string;

  /**
   * From the host root, with placeholders in braces.
   * @example /external/v1/sessions
   */
  path!: string;

  @ApiProperty({ example: 'Use the new list instead.' })
  message!: string;

  @TimeField()
  deprecatedAt!: number;

  /** From when on the route answers 410; null: not decided yet. */
  @TimeField(1_803_807_000_000)
  sunsetAt!: number | null;

  /**
   * Path of what to use instead, from the host root.
   * @example /external/v2/sessions
   */
  replacement!: string | null;

  /**
   * The page that explains it.
   * @example https://api.test/docs/deprecations#list-sessions-v1
   */
  docUrl!: string;
}
