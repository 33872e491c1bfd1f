import { Module } from '@nestjs/common';
import { PassportModule } from '@nestjs/passport';
import { RoutesModule } from '../../common/http';
import { BearerStrategy } from './bearer.strategy';
import { CsrfTokenService } from './csrf-token.service';
import { LastUsedRecorder } from './last-used-recorder';
import { LoginCookie } from './login-cookie';
import { RoutePolicyValidator } from './route-policy';
import { TokenCache } from './token-cache';
import { TokenVerifierRegistry } from './token-verifier-registry';

/** Authentication and authorization of requests. Modules that own tokens register their verifiers. */
@Module({
  imports: [RoutesModule, PassportModule],
  providers: [
    BearerStrategy,
    CsrfTokenService,
    LastUsedRecorder,
    LoginCookie,
    RoutePolicyValidator,
    TokenCache,
    TokenVerifierRegistry,
  ],
  exports: [CsrfTokenService, LastUsedRecorder, LoginCookie, TokenCache, TokenVerifierRegistry],
})
export class AuthModule {}
