import { ApiProperty } from '@nestjs/swagger';

/** Token response (RFC 6749 §5.1). */
export class TokenAnswerDto {
  /** @example svc_oat_0123456789ABCDEFGHIJKLMNOPQRST0a1b2c */
  access_token!: string;

  @ApiProperty({ type: String, enum: ['Bearer'], example: 'Bearer' })
  token_type!: 'Bearer';

  /** Lifetime of the access token in seconds. */
  @ApiProperty({ type: 'integer', enum: [3600], example: 3600 })
  expires_in!: number;

  /** @example svc_ort_0123456789ABCDEFGHIJKLMNOPQRST0a1b2c */
  refresh_token!: string;

  /**
   * Scopes of the access token, separated by spaces.
   * @example sessions:read usage:read
   */
  @ApiProperty({ type: String, example: 'sessions:read usage:read' })
  scope!: string;
}
