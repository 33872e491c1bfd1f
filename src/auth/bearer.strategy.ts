import { Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import type { Request } from 'express';
import { Strategy } from 'passport-http-bearer';
import type { Principal } from './principal';
import type { InvalidTokenReason, TokenVerifier } from './token-verifier';
import { TokenVerifiers } from './token-verifiers';

declare module 'express-serve-static-core' {
  interface Request {
    /** Which kind of token the route takes; set by the guard before Passport runs. */
    takesTokenOf?: TokenVerifier['opens'];
  }
}

/** A refusal travels as a value, so that its reason survives Passport. */
export type BearerResult = { principal: Principal } | { refused: InvalidTokenReason };

/** RFC 6750 bearer credentials, by `passport-http-bearer`. */
@Injectable()
export class BearerStrategy extends PassportStrategy(Strategy, 'bearer') {
  constructor(private readonly verifiers: TokenVerifiers) {
    super({ passReqToCallback: true, scope: '', realm: 'external-api' });
  }

  /** Passport also looks into query and body; it is shown the header alone (RFC 6750 §2.1). */
  override authenticate(request: Request, options?: object): void {
    const { headers, takesTokenOf } = request;
    super.authenticate({ headers, takesTokenOf } as Request, options);
  }

  async validate(request: Request, token: string): Promise<BearerResult> {
    const verification = await this.verifiers.verifyCall(token, request.takesTokenOf!);
    return verification.ok ? { principal: verification.principal } : { refused: verification.reason };
  }
}
