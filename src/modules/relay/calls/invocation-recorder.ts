import { Injectable, Logger } from '@nestjs/common';
import { ApiError } from '../../../common/errors';
import { InvocationStartsService } from '../../invocations';
import type { DeviceAnswer } from '../bus/device-answer';
import type { RelayResult } from '../bus/relay-call';
import { deviceDisconnectedError, getCallOutcome } from '../relay.errors';
import type { CallResponse } from './call-reply';
import type { UnsentRequest } from './relay-request';

/** Error code of an answer that is none. The device may have started the command. */
const INVALID_ANSWER = 'invalid_answer';

/** Invocation that a call starts. */
export interface StartedInvocation {
  requestId: string;
  accountId: string;
  machineId: string;
}

/** Returns the invocation that a call starts, null if it starts none. */
export function toStartedInvocation(accountId: string, request: UnsentRequest): StartedInvocation | null {
  if (request.method !== 'invocation.start') return null;
  return { requestId: request.requestId, accountId, machineId: request.machineId };
}

/**
 * Stores invocations before they are sent, and what their device answers. An outcome that is not known leaves the
 * invocation as it is, until its device reports it.
 */
@Injectable()
export class InvocationRecorder {
  private readonly logger = new Logger('Relay');

  constructor(private readonly invocationStartsService: InvocationStartsService) {}

  /** @throws ApiError 404; nothing may be sent then */
  recordSending({ accountId, machineId, requestId }: StartedInvocation): Promise<void> {
    return this.invocationStartsService.createInvocation(accountId, machineId, requestId);
  }

  /** Returns the response to the caller once the result is stored. Never rejects. */
  recordResult(
    { requestId }: StartedInvocation,
    result: RelayResult | null,
    response: CallResponse,
  ): Promise<CallResponse> {
    return this.storeResult(requestId, result?.kind === 'answered' ? result.answer : null, response);
  }

  /** Returns the response to the caller's retries once a late answer is stored. Never rejects. */
  recordLateAnswer(
    { requestId }: StartedInvocation,
    answer: DeviceAnswer,
    response: CallResponse,
  ): Promise<CallResponse> {
    return this.storeResult(requestId, answer, response);
  }

  private async storeResult(
    requestId: string,
    answer: DeviceAnswer | null,
    response: CallResponse,
  ): Promise<CallResponse> {
    try {
      if (response instanceof ApiError && getCallOutcome(response) === 'not_delivered') {
        await this.invocationStartsService.discardInvocation(requestId);
      } else if (answer?.kind === 'error' && answer.error.code !== INVALID_ANSWER) {
        await this.invocationStartsService.recordRefusal(requestId, answer.error);
      } else if (answer?.kind === 'result') {
        const invocation = await this.invocationStartsService.recordStart(requestId, answer.result);
        // Without the record, the caller can't know more than after a lost answer.
        return invocation ? { status: 202, body: { data: invocation } } : deviceDisconnectedError();
      }
      return response;
    } catch (error) {
      this.logger.error({ requestId, err: error as Error }, 'invocation storage failed');
      // The device has answered, and reports the invocation by itself, too.
      return response instanceof ApiError ? response : deviceDisconnectedError();
    }
  }
}
