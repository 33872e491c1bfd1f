import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { AccountsService } from '../../accounts';
import { SessionCookie } from '../../auth';
import { hashToken } from '../../common/secret-token';
import type { Viewer } from '../html/viewer';
import { CsrfTokens } from './csrf-tokens';

/** Who looks at a page, from what the guards found out. */
@Injectable()
export class Viewers {
  constructor(
    private readonly accounts: AccountsService,
    private readonly cookie: SessionCookie,
    private readonly csrf: CsrfTokens,
  ) {}

  /** Null on a page that asks for no session. @throws ApiError 401 when the account is gone */
  async of(request: Request): Promise<Viewer | null> {
    const { principal } = request;
    if (principal?.kind !== 'device') return null;
    const { username } = await this.accounts.get(principal.accountId);
    const session = hashToken(this.cookie.read(request)!).toString('hex');
    return {
      accountId: principal.accountId,
      username,
      deviceId: principal.deviceId,
      session,
      csrfToken: this.csrf.issue(session),
    };
  }
}
