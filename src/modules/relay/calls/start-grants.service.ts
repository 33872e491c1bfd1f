import { Injectable } from '@nestjs/common';
import type { StartGrantParams } from '@external-api/protocol';
import { insufficientScope, type Principal, type Scope } from '../../../access/auth';
import { invalidBodyError } from '../../../common/errors';
import { pickRecipientKeyMembers } from '../../key-grants';
import type { StartSessionDto } from './relay.dto';

/** Scopes of a start that asks for a key grant. */
const REQUIRED_SCOPES: readonly Scope[] = ['machines:invoke', 'sessions:content'];

/**
 * Decides which key grants a start may ask its device for (docs/protocol/agents.md#read-what-you-have-started). The
 * grant always names the token of the call.
 */
@Injectable()
export class StartGrantsService {
  /**
   * Returns the grant that the caller asks for, and no member for none.
   * @throws ApiError 403 `insufficient_scope`, 400 for a caller without a token
   */
  createGrant(caller: Principal, grant: StartSessionDto['grant']): { grant?: StartGrantParams } {
    if (grant === undefined || grant === null || grant === false) return {};
    if (caller.kind === 'device' || caller.type !== 'pat') {
      const rule = 'is for personal access tokens. Account devices read with their own keys';
      throw invalidBodyError('/grant', 'not_allowed', rule);
    }
    const missing = REQUIRED_SCOPES.filter((scope) => !caller.scopes.includes(scope));
    if (missing.length > 0) throw insufficientScope(missing, REQUIRED_SCOPES);
    const recipient =
      grant === true ? null : (pickRecipientKeyMembers(grant.recipient) as StartGrantParams['recipient']);
    return { grant: { tokenId: caller.tokenId, recipient } };
  }
}
