import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';

/** What the endpoints' forms hold. They say it to the OpenAPI document; http/read-form.ts reads the forms. */
class ClientFormDto {
  /** Unless the client authenticates by HTTP Basic. */
  @ApiPropertyOptional({ example: 'svc_oapp_0123456789ABCDEFGHIJKLMNOPQRST0a1b2c' })
  client_id?: string;

  /** Unless the client authenticates by HTTP Basic. */
  @ApiPropertyOptional({ example: 'svc_ocs_0123456789ABCDEFGHIJKLMNOPQRST0a1b2c' })
  client_secret?: string;
}

export class TokenFormDto extends ClientFormDto {
  @ApiProperty({ type: String, enum: ['authorization_code', 'refresh_token'], example: 'authorization_code' })
  grant_type!: 'authorization_code' | 'refresh_token';

  /** With `authorization_code`: good for 60 seconds and one use. */
  @ApiPropertyOptional({ example: '2YotnFZFEjr1zCsicMWpAA' })
  code?: string;

  /** With `authorization_code`: that of the authorization request. */
  @ApiPropertyOptional({ example: 'https://app.example/callback' })
  redirect_uri?: string;

  /** With `authorization_code`: what the challenge was made of (RFC 7636 §4.1). */
  @ApiPropertyOptional({ example: 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk' })
  code_verifier?: string;

  /** With `refresh_token`: the newest one; each works once. */
  @ApiPropertyOptional({ example: 'svc_ort_0123456789ABCDEFGHIJKLMNOPQRST0a1b2c' })
  refresh_token?: string;

  /** With `refresh_token`: fewer scopes for the access token than were granted. */
  @ApiPropertyOptional({ example: 'sessions:read' })
  scope?: string;
}

/** Of revocation and introspection. */
export class TokenReferenceFormDto extends ClientFormDto {
  /** An access or refresh token. */
  @ApiProperty({ example: 'svc_ort_0123456789ABCDEFGHIJKLMNOPQRST0a1b2c' })
  token!: string;

  /** Not needed: a token's prefix says what it is. */
  @ApiPropertyOptional({ example: 'refresh_token' })
  token_type_hint?: string;
}

/** The query of an authorization request. */
export class AuthorizationQueryDto {
  /** `code`; may be left out. */
  @ApiPropertyOptional({ type: String, enum: ['code'], example: 'code' })
  response_type?: 'code';

  @ApiProperty({ example: 'svc_oapp_0123456789ABCDEFGHIJKLMNOPQRST0a1b2c', description: 'Id of the app.' })
  client_id!: string;

  /** One that the app has registered, byte for byte; of http on loopback any port. */
  @ApiProperty({ example: 'https://app.example/callback' })
  redirect_uri!: string;

  /** Separated by spaces; not `machines:invoke` and `machines:invoke:verified`. */
  @ApiProperty({ example: 'sessions:read usage:read' })
  scope!: string;

  /** Comes back as it is, byte for byte. */
  @ApiPropertyOptional({ example: 'xyz' })
  state?: string;

  /** SHA-256 of the code verifier in base64url (RFC 7636 §4.2). */
  @ApiProperty({ example: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM' })
  code_challenge!: string;

  /** `S256`; may be left out. */
  @ApiPropertyOptional({ type: String, enum: ['S256'], example: 'S256' })
  code_challenge_method?: 'S256';
}
