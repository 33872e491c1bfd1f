import {
  Injectable,
  Logger,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
  type OnModuleInit,
} from '@nestjs/common';
import { BufferedWriter } from '../../../common/buffered-writer';
import { ApiError } from '../../../common/errors';
import { isDatabaseUnavailable } from '../../../core/database';
import { InvocationStartsService } from '../../invocations';
import type { DeviceAnswer } from '../../relay-bus';
import { deviceDisconnectedError } from '../relay.errors';
import { CallHookRegistry } from './call-hook-registry';
import { isNotDelivered, type CallReply } from './call-reply';

/** Error code of an answer that is none. The device may have started the command. */
const INVALID_ANSWER = 'invalid_answer';
/** Delay before a record is deleted again that the database did not delete. */
const DISCARD_RETRY_MS = 500;

/**
 * Stores invocations before they are sent, and what their device answers. An outcome that is not known leaves the
 * invocation as it is, until its device reports it.
 */
@Injectable()
export class InvocationRecorder implements OnModuleInit, OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger('Relay');
  /** Invocations that were not delivered, but whose records may be left, since the database was unavailable. */
  private readonly discards = new BufferedWriter<{ requestId: string }>('invocation discard', {
    writeRows: async (rows) => {
      for (const { requestId } of rows) await this.invocationStartsService.discardInvocation(requestId);
    },
    flushIntervalMs: DISCARD_RETRY_MS,
  });

  constructor(
    private readonly invocationStartsService: InvocationStartsService,
    private readonly callHooks: CallHookRegistry,
  ) {}

  onModuleInit(): void {
    this.callHooks.registerHooks('invocation.start', ({ caller: { accountId } }, { requestId, machineId }) => ({
      beforeSending: () => this.createInvocation(accountId, machineId, requestId),
      onReply: (reply, answer) => this.recordAnswer(requestId, reply, answer),
    }));
  }

  onApplicationBootstrap(): void {
    this.discards.start();
  }

  onApplicationShutdown(): Promise<void> {
    return this.discards.stop();
  }

  private async createInvocation(accountId: string, machineId: string, requestId: string): Promise<void> {
    try {
      await this.invocationStartsService.createInvocation(accountId, machineId, requestId);
    } catch (error) {
      // The record may be stored although the connection was lost, and nothing is sent.
      if (isDatabaseUnavailable(error)) this.discards.add({ requestId });
      throw error;
    }
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
      // Nobody else would delete it: it would become lost, with an event, although nothing was sent.
      if (isNotDelivered(reply) && isDatabaseUnavailable(error)) this.discards.add({ requestId });
      // The device has answered, and reports the invocation by itself, too.
      return reply instanceof ApiError ? reply : deviceDisconnectedError();
    }
  }
}
