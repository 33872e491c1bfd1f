import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock';
import { ApiError, bodyViolation, invalidRequestError, type RequestViolation } from '../../common/errors';
import { isWellFormedId } from '../../common/ids';
import { RegisteredAppReader } from '../developer-apps';
import { PersonalAccessTokensService } from '../personal-access-tokens';
import type { CreateKeyGrantDto } from './key-grants.dto';

type RequestedGrantBindings = Pick<CreateKeyGrantDto, 'tokenId' | 'appId' | 'expiresAt'>;

/** Validates the bindings of a grant: one token, one app, or neither, and a future expiry. */
@Injectable()
export class GrantBindingValidator {
  constructor(
    private readonly tokens: PersonalAccessTokensService,
    private readonly apps: RegisteredAppReader,
    private readonly clock: Clock,
  ) {}

  /** Locks the app against deletion until the transaction ends. @throws ApiError 400 */
  async validateBindings(accountId: string, { tokenId, appId, expiresAt }: RequestedGrantBindings): Promise<void> {
    const violations: RequestViolation[] = [];
    const addViolation = (path: string, code: string, rule: string) => violations.push(bodyViolation(path, code, rule));
    if (expiresAt !== undefined && expiresAt <= this.clock.now()) {
      addViolation('/expiresAt', 'out_of_range', 'must be in the future');
    }
    if (tokenId !== undefined && appId !== undefined) {
      addViolation('/appId', 'not_allowed', 'must not be given together with tokenId');
    } else if (tokenId !== undefined && !(await this.isActiveToken(accountId, tokenId))) {
      addViolation('/tokenId', 'not_allowed', 'must be an active token of this account');
    } else if (appId !== undefined && !(await this.apps.lockIfActive(appId))) {
      addViolation('/appId', 'not_allowed', 'must be the client id of an app');
    }
    if (violations.length > 0) throw invalidRequestError(violations);
  }

  private async isActiveToken(accountId: string, tokenId: string): Promise<boolean> {
    if (!isWellFormedId('tok', tokenId)) return false;
    try {
      return (await this.tokens.getPersonalAccessToken(accountId, tokenId)).state === 'active';
    } catch (error) {
      if (error instanceof ApiError && error.code === 'not_found') return false;
      throw error;
    }
  }
}
