import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';

/** Documents the forms in OpenAPI. `http/read-oauth-form.ts` parses them. */
class ClientFormDto {
  /** Client ID. Omit it with HTTP Basic. */
  @ApiPropertyOptional({ example: 'svc_oapp_0123456789ABCDEFGHIJKLMNOPQRST0a1b2c' })
  client_id?: string;

  /** Client secret. Omit it with HTTP Basic. */
  @ApiPropertyOptional({ example: 'svc_ocs_0123456789ABCDEFGHIJKLMNOPQRST0a1b2c' })
  client_secret?: string;
}

export class TokenFormDto extends ClientFormDto {
  @ApiProperty({ type: String, enum: ['authorization_code', 'refresh_token'], example: 'authorization_code' })
  grant_type!: 'authorization_code' | 'refresh_token';

  /** Required with `authorization_code`. Valid for 60 seconds and one use. */
  @ApiPropertyOptional({ example: '2YotnFZFEjr1zCsicMWpAA' })
  code?: string;

  /** Required with `authorization_code`. Must equal the one of the authorization request. */
  @ApiPropertyOptional({ example: 'https://app.example/callback' })
  redirect_uri?: string;

  /** Required with `authorization_code`. The verifier of the challenge (RFC 7636 §4.1). */
  @ApiPropertyOptional({ example: 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk' })
  code_verifier?: string;

  /** Required with `refresh_token`. The newest refresh token; each works once. */
  @ApiPropertyOptional({ example: 'svc_ort_0123456789ABCDEFGHIJKLMNOPQRST0a1b2c' })
  refresh_token?: string;

  /** Optional with `refresh_token`. Limits the access token to some of the granted scopes. */
  @ApiPropertyOptional({ example: 'sessions:read' })
  scope?: string;
}

/** Form of revocation and introspection requests. */
export class TokenReferenceFormDto extends ClientFormDto {
  /** An access or refresh token. */
  @ApiProperty({ example: 'svc_ort_0123456789ABCDEFGHIJKLMNOPQRST0a1b2c' })
  token!: string;

  /** Ignored: the token's prefix identifies its type. */
  @ApiPropertyOptional({ example: 'refresh_token' })
  token_type_hint?: string;
}

/** Query of an authorization request. */
export class AuthorizationQueryDto {
  /** Optional; only `code` is supported. */
  @ApiPropertyOptional({ type: String, enum: ['code'], example: 'code' })
  response_type?: 'code';

  @ApiProperty({ example: 'svc_oapp_0123456789ABCDEFGHIJKLMNOPQRST0a1b2c', description: 'Id of the app.' })
  client_id!: string;

  /** A redirect URI that the app has registered, byte for byte. An http loopback URI may have any port. */
  @ApiProperty({ example: 'https://app.example/callback' })
  redirect_uri!: string;

  /** Scopes, separated by spaces. `machines:invoke` and `machines:invoke:verified` are not available to apps. */
  @ApiProperty({ example: 'sessions:read usage:read' })
  scope!: string;

  /** Returned to the app byte for byte. */
  @ApiPropertyOptional({ example: 'xyz' })
  state?: string;

  /** SHA-256 of the code verifier in base64url (RFC 7636 §4.2). */
  @ApiProperty({ example: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM' })
  code_challenge!: string;

  /** Optional; only `S256` is supported. */
  @ApiPropertyOptional({ type: String, enum: ['S256'], example: 'S256' })
  code_challenge_method?: 'S256';
}
