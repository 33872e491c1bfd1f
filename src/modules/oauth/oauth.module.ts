import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AuditModule } from '../../access/audit';
import { AuthModule } from '../../access/auth';
import { RateLimitModule } from '../../access/rate-limiting';
import { AccountsModule } from '../accounts';
import { DAY } from '../../common/clock';
import { DeveloperAppsModule } from '../developer-apps';
import { RetentionService } from '../../core/database';
import { AuthorizationService } from './authorize/authorization.service';
import { AuthorizeController } from './authorize/authorize.controller';
import { ClientAuthenticationService } from './clients/client-authentication.service';
import { ConsentService } from './consent/consent.service';
import { OAuthRequestEntity } from './consent/oauth-request.entity';
import { OAuthRequestsRepository } from './consent/oauth-requests.repository';
import { AuthorizationCodeGrantHandler } from './endpoints/authorization-code-grant-handler';
import { IntrospectController } from './endpoints/introspect.controller';
import { TokenIntrospectionService } from './endpoints/token-introspection.service';
import { OAuthMetadataController } from './endpoints/oauth-metadata.controller';
import { RefreshTokenGrantHandler } from './endpoints/refresh-token-grant-handler';
import { TokenRevocationService } from './endpoints/token-revocation.service';
import { RevokeController } from './endpoints/revoke.controller';
import { TokenController } from './endpoints/token.controller';
import { AccessTokenEntity } from './tokens/access-token.entity';
import { AccessTokensRepository } from './tokens/access-tokens.repository';
import { AuthorizationCodesService } from './tokens/authorization-codes.service';
import { AuthorizationCodesRepository } from './tokens/authorization-codes.repository';
import { AuthorizationCodeEntity } from './tokens/authorization-code.entity';
import { IssuedOAuthTokensService } from './tokens/issued-oauth-tokens.service';
import { OAuthTokenVerifier } from './tokens/oauth-token-verifier';
import { RefreshTokenEntity } from './tokens/refresh-token.entity';
import { RefreshTokensRepository } from './tokens/refresh-tokens.repository';
import { TokenFamiliesRepository } from './tokens/token-families.repository';
import { TokenFamilyEntity } from './tokens/token-family.entity';
import { OAuthTokensService } from './tokens/oauth-tokens.service';

/** Implements OAuth 2.0 for third-party apps: the authorization code grant with PKCE only (docs/protocol/oauth.md). */
@Module({
  imports: [
    AccountsModule,
    AuditModule,
    AuthModule,
    DeveloperAppsModule,
    RateLimitModule,
    TypeOrmModule.forFeature([
      OAuthRequestEntity,
      AuthorizationCodeEntity,
      TokenFamilyEntity,
      AccessTokenEntity,
      RefreshTokenEntity,
    ]),
  ],
  controllers: [AuthorizeController, IntrospectController, OAuthMetadataController, RevokeController, TokenController],
  providers: [
    AccessTokensRepository,
    AuthorizationService,
    ClientAuthenticationService,
    AuthorizationCodeGrantHandler,
    AuthorizationCodesService,
    AuthorizationCodesRepository,
    ConsentService,
    IssuedOAuthTokensService,
    TokenIntrospectionService,
    OAuthRequestsRepository,
    OAuthTokenVerifier,
    RefreshTokenGrantHandler,
    RefreshTokensRepository,
    TokenRevocationService,
    TokenFamiliesRepository,
    OAuthTokensService,
  ],
  exports: [ConsentService, IssuedOAuthTokensService],
})
export class OAuthModule {
  constructor(retentionService: RetentionService) {
    retentionService.registerRules(
      { table: 'oauth_requests', column: 'expires_at', retentionMs: 0 },
      { table: 'oauth_codes', column: 'expires_at', retentionMs: 0 },
      // Retained for a day, so that requests with an expired token get the right error.
      { table: 'oauth_access_tokens', column: 'expires_at', retentionMs: DAY },
      // Retained with its refresh tokens, so that the reuse of an expired one still revokes the family, and as long as
      // the usage of the last 30 days may have calls of it: it finds their apps by the families of their tokens.
      { table: 'oauth_token_families', column: 'expires_at', retentionMs: 31 * DAY },
    );
  }
}
