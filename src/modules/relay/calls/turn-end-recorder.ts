import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { ApiError } from '../../../common/errors';
import type { DeviceAnswer } from '../../relay-bus';
import { ReportTurnService } from '../../turns';
import { CallHookRegistry } from './call-hook-registry';
import type { CallReply } from './call-reply';

/** Stores how a cancelled turn has ended if the device's own report has not arrived (docs/protocol/agents.md). */
@Injectable()
export class TurnEndRecorder implements OnModuleInit {
  private readonly logger = new Logger('Relay');

  constructor(
    private readonly reportTurnService: ReportTurnService,
    private readonly callHooks: CallHookRegistry,
  ) {}

  onModuleInit(): void {
    this.callHooks.registerHooks('session.cancel', ({ caller: { accountId } }, { requestId, sessionId, params }) => ({
      onReply: async (reply, answer) => {
        if (answer?.kind !== 'result' || answer.result.report === undefined) return reply;
        try {
          await this.reportTurnService.recordEnd(accountId, sessionId, params.turnId, answer.result.report);
        } catch (error) {
          // The turn has ended in any case, and its device goes on reporting it.
          this.logger.error({ requestId, err: error as Error }, 'turn storage failed');
        }
        return withoutReport(reply, answer);
      },
    }));
  }
}

/** Returns what the caller gets: the state alone. */
function withoutReport(reply: CallReply, { result }: DeviceAnswer & { kind: 'result' }): CallReply {
  if (reply instanceof ApiError || !('result' in reply.body)) return reply;
  return { status: reply.status, body: { ...reply.body, result: { state: result.state } } };
}
