import { Injectable } from '@nestjs/common';
import { Clock } from '../common/clock';
import { ApiError, invalidRequest, type RequestFault } from '../common/errors';
import { isId } from '../common/ids';
import { RegisteredApps } from '../developer-apps';
import { ExternalTokensService } from '../external-tokens';
import type { CreateKeyGrantDto } from './key-grants.dto';

type Bindings = Pick<CreateKeyGrantDto, 'tokenId' | 'appId' | 'expiresAt'>;

/** What a grant may be bound to: one token, one app, or neither, and a time that is still to come. */
@Injectable()
export class GrantBindings {
  constructor(
    private readonly tokens: ExternalTokensService,
    private readonly apps: RegisteredApps,
    private readonly clock: Clock,
  ) {}

  /** In a transaction, until whose end an app stays. @throws ApiError 400 */
  async require(accountId: string, { tokenId, appId, expiresAt }: Bindings): Promise<void> {
    const faults: RequestFault[] = [];
    const fault = (path: string, code: string, message: string) =>
      faults.push({ in: 'body', path, code, message: `${path} ${message}.` });
    if (expiresAt !== undefined && expiresAt <= this.clock.now()) {
      fault('/expiresAt', 'out_of_range', 'must be in the future');
    }
    if (tokenId !== undefined && appId !== undefined) {
      fault('/appId', 'not_allowed', 'must not be given together with tokenId');
    } else if (tokenId !== undefined && !(await this.isLiveToken(accountId, tokenId))) {
      fault('/tokenId', 'not_allowed', 'must be an active token of this account');
    } else if (appId !== undefined && !(await this.apps.hold(appId))) {
      fault('/appId', 'not_allowed', 'must be the client id of an app');
    }
    if (faults.length > 0) throw invalidRequest(faults);
  }

  private async isLiveToken(accountId: string, tokenId: string): Promise<boolean> {
    if (!isId('tok', tokenId)) return false;
    try {
      return (await this.tokens.get(accountId, tokenId)).state === 'active';
    } catch (error) {
      if (error instanceof ApiError && error.code === 'not_found') return false;
      throw error;
    }
  }
}
