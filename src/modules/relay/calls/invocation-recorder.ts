import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { ApiError } from '../../../common/errors';
import { InvocationStartsService } from '../../invocations';
import type { DeviceAnswer } from '../../relay-bus';
import { deviceDisconnectedError } from '../relay.errors';
import { CallHookRegistry } from './call-hook-registry';
import { isNotDelivered, type CallReply } from './call-reply';

/** Error code of an answer that is none. The device may have started the command. */
const INVALID_ANSWER = 'invalid_answer';

/**
 * Stores invocations before they are sent, and what their device answers. An outcome that is not known leaves the
 * invocation as it is, until its device reports it.
 */
@Injectable()
export class InvocationRecorder implements OnModuleInit {
  private readonly logger = new Logger('Relay');

  constructor(
    private readonly invocationStartsService: InvocationStartsService,
    private readonly callHooks: CallHookRegistry,
  ) {}

  onModuleInit(): void {
    this.callHooks.registerHooks('invocation.start', ({ caller: { accountId } }, { requestId, machineId }) => ({
      beforeSending: () => this.invocationStartsService.createInvocation(accountId, machineId, requestId),
      onReply: (reply, answer) => this.recordAnswer(requestId, reply, answer),
    }));
  }

  private async recordAnswer(requestId: string, reply: CallReply, answer: DeviceAnswer | null): Promise<CallReply> {
    try {
      if (isNotDelivered(reply)) {
        await this.invocationStartsService.discardInvocation(requestId);
      } else if (answer?.kind === 'error' && answer.error.code !== INVALID_ANSWER) {
        await this.invocationStartsService.recordRefusal(requestId, answer.error);
      } else if (answer?.kind === 'result') {
        const invocation = await this.invocationStartsService.recordStart(requestId, answer.result);
        // Without the record, the caller can't know more than after a lost answer.
        return invocation ? { status: 202, body: { data: invocation } } : deviceDisconnectedError();
      }
      return reply;
    } catch (error) {
      this.logger.error({ requestId, err: error as Error }, 'invocation storage failed');
      // The device has answered, and reports the invocation by itself, too.
      return reply instanceof ApiError ? reply : deviceDisconnectedError();
    }
  }
}
