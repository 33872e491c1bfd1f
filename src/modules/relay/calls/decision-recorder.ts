import { Injectable, Logger } from '@nestjs/common';
import type { Principal } from '../../../access/auth';
import type { DecidePermissionResult } from '../../../protocol';
import { PermissionDecisionsService, type PermissionDecider } from '../../permission-requests';
import type { DeviceAnswer } from '../bus/device-answer';
import type { CallContext } from './call-context';
import type { UnsentRequest } from './relay-request';

/** Decision that a call carries to a device. */
export interface SentDecision {
  requestId: string;
  accountId: string;
  decidedBy: PermissionDecider;
  sessionId: string;
  localId: string;
  optionId: string;
}

/** Returns the decision of a call, null if it carries none. */
export function toSentDecision({ caller }: CallContext, request: UnsentRequest): SentDecision | null {
  if (request.method !== 'session.permission') return null;
  const { requestId, sessionId, params } = request;
  const { localId, optionId } = params;
  return { requestId, accountId: caller.accountId, decidedBy: toDecider(caller), sessionId, localId, optionId };
}

function toDecider(caller: Principal): PermissionDecider {
  if (caller.kind === 'device') return { tokenId: null, deviceId: caller.deviceId };
  return { tokenId: caller.tokenId, deviceId: null };
}

/**
 * Stores decisions that a device has executed, so that the caller finds them, with its id, when the call returns.
 */
@Injectable()
export class DecisionRecorder {
  private readonly logger = new Logger('Relay');

  constructor(private readonly permissionDecisions: PermissionDecisionsService) {}

  /** Never rejects: the device has decided, and its own report stores the decision in any case. */
  async recordAnswer(decision: SentDecision, answer: DeviceAnswer): Promise<void> {
    if (answer.kind === 'error' || answer.result.optionId !== decision.optionId) return;
    const result = answer.result as unknown as DecidePermissionResult;
    try {
      await this.permissionDecisions.recordDecision(decision, result, decision.decidedBy);
    } catch (error) {
      this.logger.error({ requestId: decision.requestId, err: error as Error }, 'decision storage failed');
    }
  }
}
