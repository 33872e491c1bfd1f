import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import type { DecidePermissionResult } from '@external-api/protocol';
import type { Principal } from '../../../access/auth';
import { getRequestContext, runInRequestContext } from '../../../common/request-context';
import { PermissionDecisionsService, type PermissionDecider } from '../../permission-requests';
import type { DeviceAnswer } from '../../relay-bus';
import { CallHookRegistry } from './call-hook-registry';

/** Decision that a call carries to a device. */
interface SentDecision {
  requestId: string;
  accountId: string;
  decidedBy: PermissionDecider;
  sessionId: string;
  localId: string;
  /** Null for a question. */
  optionId: string | null;
}

/**
 * Stores decisions that a device has executed, so that the caller finds them, with its id, when the call returns.
 */
@Injectable()
export class DecisionRecorder implements OnModuleInit {
  private readonly logger = new Logger('Relay');

  constructor(
    private readonly permissionDecisions: PermissionDecisionsService,
    private readonly callHooks: CallHookRegistry,
  ) {}

  onModuleInit(): void {
    this.callHooks.registerHooks('session.permission', ({ caller }, { requestId, sessionId, params }) => {
      const { localId } = params;
      const optionId = 'optionId' in params ? params.optionId : null;
      const decidedBy = toDecider(caller);
      const decision = { requestId, accountId: caller.accountId, decidedBy, sessionId, localId, optionId };
      // A late answer arrives outside of the request, whose caller the audit trail names.
      const requestContext = getRequestContext();
      return {
        onReply: async (reply, answer) => {
          if (answer) await runInRequestContext(requestContext, () => this.recordAnswer(decision, answer));
          return reply;
        },
      };
    });
  }

  /** Never rejects: the device has decided, and its own report stores the decision in any case. */
  private async recordAnswer(decision: SentDecision, answer: DeviceAnswer): Promise<void> {
    if (answer.kind === 'error' || answer.result.optionId !== decision.optionId) return;
    const result = answer.result as unknown as DecidePermissionResult;
    try {
      await this.permissionDecisions.recordDecision(decision, result, decision.decidedBy);
    } catch (error) {
      this.logger.error({ requestId: decision.requestId, err: error as Error }, 'decision storage failed');
    }
  }
}

function toDecider(caller: Principal): PermissionDecider {
  if (caller.kind === 'device') return { tokenId: null, deviceId: caller.deviceId };
  return { tokenId: caller.tokenId, deviceId: null };
}
