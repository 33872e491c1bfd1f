import { DynamicModule, Global, Module, type Type } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { PassportModule } from '@nestjs/passport';
import { RouteTable } from '../common/http';
import { BearerStrategy } from './bearer.strategy';
import { LastUse } from './last-use';
import { PolicyCheck } from './policy-check';
import { RecentLookUps } from './recent-look-ups';
import { SessionCookie } from './session-cookie';
import { FailedAttempts, TokenVerifier } from './token-verifier';
import { TOKEN_VERIFIERS, TokenVerifiers } from './token-verifiers';

export interface AuthBindings {
  /** The modules that export what is bound below. */
  imports: NonNullable<DynamicModule['imports']>;
  verifiers: Type<TokenVerifier>[];
  failedAttempts: Type<FailedAttempts>;
}

/** Who calls and what the route asks. The ports are bound by the application module. */
@Global()
@Module({})
export class AuthModule {
  static forRoot({ imports, verifiers, failedAttempts }: AuthBindings): DynamicModule {
    return {
      module: AuthModule,
      imports: [DiscoveryModule, PassportModule, ...imports],
      providers: [
        RouteTable,
        BearerStrategy,
        LastUse,
        PolicyCheck,
        RecentLookUps,
        SessionCookie,
        TokenVerifiers,
        { provide: FailedAttempts, useExisting: failedAttempts },
        { provide: TOKEN_VERIFIERS, useFactory: (...all: TokenVerifier[]) => all, inject: verifiers },
      ],
      exports: [LastUse, RouteTable, RecentLookUps, SessionCookie, TokenVerifiers, FailedAttempts],
    };
  }
}
