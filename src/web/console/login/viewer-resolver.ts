import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { AccountsService } from '../../../modules/accounts';
import { CsrfTokenService, getLoginId } from '../../../access/auth';
import type { Viewer } from '../html/viewer';

/** Resolves the viewer of a page from the authenticated principal. */
@Injectable()
export class ViewerResolver {
  constructor(
    private readonly accounts: AccountsService,
    private readonly csrfTokens: CsrfTokenService,
  ) {}

  /** Returns null on a public page. @throws ApiError 401 if the account no longer exists */
  async resolveViewer(request: Request): Promise<Viewer | null> {
    const { principal } = request;
    if (principal?.kind !== 'device') return null;
    const { username } = await this.accounts.getAccount(principal.accountId);
    const loginId = getLoginId(principal);
    return {
      accountId: principal.accountId,
      username,
      deviceId: principal.deviceId,
      loginId,
      csrfToken: this.csrfTokens.issueToken(loginId),
    };
  }
}
