import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';

/**
 * Introspection response (RFC 7662 §2.2). It contains `active` alone when the token is not active or belongs to another
 * client.
 */
export class IntrospectionAnswerDto {
  @ApiProperty({ example: true })
  active!: boolean;

  /** Scopes of the token, separated by spaces. */
  @ApiPropertyOptional({ example: 'sessions:read profile:read' })
  scope?: string;

  @ApiPropertyOptional({ example: 'svc_oapp_0123456789ABCDEFGHIJKLMNOPQRST0a1b2c' })
  client_id?: string;

  /** ID of the account for which the token acts. */
  @ApiPropertyOptional({ example: 'acc_01m7xsah51f6ctt8c84t8wbh7e' })
  sub?: string;

  /** Present with the scope `profile:read`. */
  @ApiPropertyOptional({ example: 'ada' })
  username?: string;

  /** Present for access tokens. */
  @ApiPropertyOptional({ type: String, enum: ['Bearer'], example: 'Bearer' })
  token_type?: 'Bearer';

  /** Expiry as Unix time in seconds. */
  @ApiPropertyOptional({ type: 'integer', example: 1_788_258_600 })
  exp?: number;

  /** Time of issue as Unix time in seconds. */
  @ApiPropertyOptional({ type: 'integer', example: 1_788_255_000 })
  iat?: number;

  @ApiPropertyOptional({ example: 'https://api.test' })
  iss?: string;
}
