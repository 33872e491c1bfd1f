import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { computeRequestId, type TurnSummary } from '@external-api/protocol';
import { ApiError } from '../../../common/errors';
import type { DeviceAnswer } from '../../relay-bus';
import { ReportTurnService } from '../../turns';
import { CallHookRegistry } from './call-hook-registry';

/** A call that may have begun a turn, and the device that answered it. */
interface AnsweredCall {
  accountId: string;
  requestId: string;
  /** Null for a start, whose answer names the session. */
  sessionId: string | null;
  /** Null if it isn't known. */
  deviceId: string | null;
}

/**
 * Stores turns that devices name in their answers, so that callers find a turn on every instance once they know of it.
 * The reports of the device may arrive later (docs/protocol/agents.md#reports).
 */
@Injectable()
export class TurnStartRecorder implements OnModuleInit {
  private readonly logger = new Logger('Relay');

  constructor(
    private readonly reportTurnService: ReportTurnService,
    private readonly callHooks: CallHookRegistry,
  ) {}

  onModuleInit(): void {
    this.registerHooks('session.message');
    this.registerHooks('session.start');
    this.registerHooks('session.permission');
  }

  /** Never rejects: the turn has begun, and its device goes on reporting it. */
  async recordTurn({ accountId, requestId, sessionId, deviceId }: AnsweredCall, answer: DeviceAnswer): Promise<void> {
    const { turn, steered, ...result } = answer.kind === 'result' ? answer.result : {};
    const answeredSessionId = sessionId ?? result.sessionId;
    if (!turn || typeof turn !== 'object' || typeof answeredSessionId !== 'string') return;
    const { id, state } = turn as TurnSummary;
    // A message that was steered has joined the turn of another call.
    const turnRequestId = steered ? computeRequestId(id) : requestId;
    try {
      await this.reportTurnService.recordAnsweredTurn(accountId, answeredSessionId, turnRequestId, { deviceId, state });
    } catch (error) {
      // The account's storage is full, for example, and the device's report is refused for it as well.
      if (error instanceof ApiError) return this.logger.debug({ requestId, reason: error.code }, 'turn not stored');
      this.logger.error({ requestId, err: error as Error }, 'turn storage failed');
    }
  }

  private registerHooks(method: 'session.message' | 'session.start' | 'session.permission'): void {
    this.callHooks.registerHooks(method, ({ caller: { accountId } }, { requestId, sessionId = null }) => ({
      onReply: async (reply, answer, deviceId = null) => {
        if (answer) await this.recordTurn({ accountId, requestId, sessionId, deviceId }, answer);
        return reply;
      },
    }));
  }
}
