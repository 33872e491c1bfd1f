import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { AccountsService } from '../../../modules/accounts';
import { LoginCookie } from '../../../access/auth';
import { hashSecretToken } from '../../../common/secret-token';
import type { Viewer } from '../html/viewer';
import { CsrfTokenService } from './csrf-token.service';

/** Resolves the viewer of a page from the authenticated principal. */
@Injectable()
export class ViewerResolver {
  constructor(
    private readonly accounts: AccountsService,
    private readonly loginCookie: LoginCookie,
    private readonly csrfTokens: CsrfTokenService,
  ) {}

  /** Returns null on a public page. @throws ApiError 401 if the account no longer exists */
  async resolveViewer(request: Request): Promise<Viewer | null> {
    const { principal } = request;
    if (principal?.kind !== 'device') return null;
    const { username } = await this.accounts.getAccount(principal.accountId);
    const loginId = hashSecretToken(this.loginCookie.readToken(request)!).toString('hex');
    return {
      accountId: principal.accountId,
      username,
      deviceId: principal.deviceId,
      loginId,
      csrfToken: this.csrfTokens.issueToken(loginId),
    };
  }
}
