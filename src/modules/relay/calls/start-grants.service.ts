import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { StartGrantParams } from '@external-api/protocol';
import { insufficientScope, type Principal, type Scope } from '../../../access/auth';
import { invalidRequestError, type ApiError } from '../../../common/errors';
import { pickRecipientKeyMembers } from '../../key-grants';
import { MachinesService } from '../../machines';
import { CallHookRegistry } from './call-hook-registry';
import type { StartSessionDto } from './relay.dto';

/** Scopes of a start that asks for a key grant. */
const REQUIRED_SCOPES: readonly Scope[] = ['machines:invoke', 'sessions:content'];

/**
 * Decides which key grants a start may ask its device for (docs/protocol/agents.md#read-what-you-have-started). The
 * grant always names the token of the call.
 */
@Injectable()
export class StartGrantsService implements OnModuleInit {
  constructor(
    private readonly machines: MachinesService,
    private readonly callHooks: CallHookRegistry,
  ) {}

  onModuleInit(): void {
    this.callHooks.registerHooks('session.start', ({ caller: { accountId } }, request) => {
      // An older device would start the session and ignore the grant.
      if (!('grant' in request.params)) return {};
      return { beforeSending: () => this.requireCapability(accountId, request.machineId) };
    });
  }

  /**
   * Returns the grant that the caller asks for, and no member for none.
   * @throws ApiError 403 `insufficient_scope`, 400 for a caller without a token
   */
  createGrant(caller: Principal, grant: StartSessionDto['grant']): { grant?: StartGrantParams } {
    if (grant === undefined || grant === null || grant === false) return {};
    if (caller.kind === 'device' || caller.type !== 'pat')
      throw grantError('/grant is for personal access tokens. Account devices read with their own keys.');
    const missing = REQUIRED_SCOPES.filter((scope) => !caller.scopes.includes(scope));
    if (missing.length > 0) throw insufficientScope(missing, REQUIRED_SCOPES);
    const recipient =
      grant === true ? null : (pickRecipientKeyMembers(grant.recipient) as StartGrantParams['recipient']);
    return { grant: { tokenId: caller.tokenId, recipient } };
  }

  /** Refuses the call for a connected device that can't grant. The relay refuses others as for any capability. */
  private async requireCapability(accountId: string, machineId: string): Promise<void> {
    const { state, capabilities } = await this.machines.getMachine(accountId, machineId);
    if (state === 'online' && !capabilities.includes('session.grant'))
      throw grantError('/grant is not supported by the device of this machine. Update the device, or leave it out.');
  }
}

function grantError(message: string): ApiError {
  return invalidRequestError([{ in: 'body', path: '/grant', code: 'not_allowed', message }]);
}
