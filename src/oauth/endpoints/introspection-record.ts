import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';

/** RFC 7662 §2.2: of a token that is not live, or not the client's, `active` alone. */
export class IntrospectionAnswer {
  @ApiProperty({ example: true })
  active!: boolean;

  /** Separated by spaces. */
  @ApiPropertyOptional({ example: 'sessions:read profile:read' })
  scope?: string;

  @ApiPropertyOptional({ example: 'svc_oapp_0123456789ABCDEFGHIJKLMNOPQRST0a1b2c' })
  client_id?: string;

  /** Id of the account that the token acts for. */
  @ApiPropertyOptional({ example: 'acc_01m7xsah51f6ctt8c84t8wbh7e' })
  sub?: string;

  /** With the scope `profile:read`. */
  @ApiPropertyOptional({ example: 'ada' })
  username?: string;

  /** Of access tokens. */
  @ApiPropertyOptional({ type: String, enum: ['Bearer'], example: 'Bearer' })
  token_type?: 'Bearer';

  /** Unix time in seconds. */
  @ApiPropertyOptional({ type: 'integer', example: 1_788_258_600 })
  exp?: number;

  /** Unix time in seconds. */
  @ApiPropertyOptional({ type: 'integer', example: 1_788_255_000 })
  iat?: number;

  @ApiPropertyOptional({ example: 'https://api.test' })
  iss?: string;
}
