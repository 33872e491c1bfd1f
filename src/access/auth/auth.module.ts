import { Module } from '@nestjs/common';
import { PassportModule } from '@nestjs/passport';
import { RoutesModule } from '../../common/http';
import { BearerStrategy } from './bearer.strategy';
import { CsrfTokenService } from './csrf-token.service';
import { HeldRequestGuard } from './held-request.guard';
import { LastUsedRecorder } from './last-used-recorder';
import { LoginCookie } from './login-cookie';
import { PermissionGuard } from './permission.guard';
import { RoutePolicyValidator } from './route-policy';
import { TokenCache } from './token-cache';
import { TokenVerifierRegistry } from './token-verifier-registry';

/** Authentication and authorization of requests. Modules that own tokens register their verifiers. */
@Module({
  imports: [RoutesModule, PassportModule],
  providers: [
    BearerStrategy,
    CsrfTokenService,
    HeldRequestGuard,
    LastUsedRecorder,
    LoginCookie,
    PermissionGuard,
    RoutePolicyValidator,
    TokenCache,
    TokenVerifierRegistry,
  ],
  exports: [CsrfTokenService, HeldRequestGuard, LastUsedRecorder, LoginCookie, TokenCache, TokenVerifierRegistry],
})
export class AuthModule {}
