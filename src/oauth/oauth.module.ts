import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AccountsModule } from '../accounts';
import { DAY } from '../common/clock';
import { DeveloperAppsModule } from '../developer-apps';
import { Retention } from '../persistence';
import { Authorization } from './authorize/authorization';
import { AuthorizeController } from './authorize/authorize.controller';
import { ClientAuthentication } from './clients/client-authentication';
import { ConsentRequests } from './consent/consent-requests';
import { OAuthRequestEntity } from './consent/oauth-request.entity';
import { OAuthRequestsRepository } from './consent/oauth-requests.repository';
import { CodeGrant } from './endpoints/code-grant';
import { IntrospectController } from './endpoints/introspect.controller';
import { Introspection } from './endpoints/introspection';
import { MetadataController } from './endpoints/metadata.controller';
import { RefreshGrant } from './endpoints/refresh-grant';
import { Revocation } from './endpoints/revocation';
import { RevokeController } from './endpoints/revoke.controller';
import { TokenController } from './endpoints/token.controller';
import { AccessTokenEntity } from './tokens/access-token.entity';
import { AccessTokensRepository } from './tokens/access-tokens.repository';
import { Codes } from './tokens/codes';
import { CodesRepository } from './tokens/codes.repository';
import { OAuthCodeEntity } from './tokens/oauth-code.entity';
import { OAuthTokenVerifier } from './tokens/oauth-token-verifier';
import { RefreshTokenEntity } from './tokens/refresh-token.entity';
import { RefreshTokensRepository } from './tokens/refresh-tokens.repository';
import { TokenFamiliesRepository } from './tokens/token-families.repository';
import { TokenFamilyEntity } from './tokens/token-family.entity';
import { TokenIssuer } from './tokens/token-issuer';

/** OAuth 2.0 for third-party apps: authorization code with PKCE, and nothing else (oauth.md). */
@Module({
  imports: [
    AccountsModule,
    DeveloperAppsModule,
    TypeOrmModule.forFeature([
      OAuthRequestEntity,
      OAuthCodeEntity,
      TokenFamilyEntity,
      AccessTokenEntity,
      RefreshTokenEntity,
    ]),
  ],
  controllers: [AuthorizeController, IntrospectController, MetadataController, RevokeController, TokenController],
  providers: [
    AccessTokensRepository,
    Authorization,
    ClientAuthentication,
    CodeGrant,
    Codes,
    CodesRepository,
    ConsentRequests,
    Introspection,
    OAuthRequestsRepository,
    OAuthTokenVerifier,
    RefreshGrant,
    RefreshTokensRepository,
    Revocation,
    TokenFamiliesRepository,
    TokenIssuer,
  ],
  exports: [ConsentRequests, OAuthTokenVerifier],
})
export class OAuthModule {
  constructor(retention: Retention) {
    retention.register(
      { table: 'oauth_requests', column: 'expires_at', keepMs: 0 },
      { table: 'oauth_codes', column: 'expires_at', keepMs: 0 },
      // Kept for a while, so that an old token is told that it has expired.
      { table: 'oauth_access_tokens', column: 'expires_at', keepMs: DAY },
      // With its refresh tokens: one that comes back after its time still ends its family.
      { table: 'oauth_token_families', column: 'expires_at', keepMs: DAY },
    );
  }
}
