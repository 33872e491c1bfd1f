import { Injectable } from '@nestjs/common';
import type { TokenPrincipal } from '../../auth';
import { MachinesService } from '../../machines';
import { SessionsService } from '../../sessions';
import type { Candidate } from '../bus/relay-bus';
import { sessionNotActive } from '../relay.errors';
import type { InvokeDto, SendMessageDto } from './relay.dto';
import type { CallContext, RelayOrder } from './relay-order';

const MAX_DEVICE_MS = 28_000;
const DEFAULT_INVOKE_MS = 20_000;

/** Makes orders of the two relayed calls: which device may serve them, and with what (relay.md, Which device). */
@Injectable()
export class RelayOrders {
  constructor(
    private readonly machines: MachinesService,
    private readonly sessions: SessionsService,
  ) {}

  invoke(caller: TokenPrincipal, machineId: string, request: InvokeDto, context: CallContext): RelayOrder {
    const { command, args = [], cwd = null, timeoutMs = DEFAULT_INVOKE_MS } = request;
    return {
      caller,
      context,
      method: 'machine.invoke',
      params: { command, args, cwd },
      timeoutMs: Math.min(timeoutMs, MAX_DEVICE_MS),
      sessionId: null,
      machineId,
      request,
      route: async () => [{ deviceId: await this.machines.deviceOf(caller.accountId, machineId) }],
    };
  }

  message(caller: TokenPrincipal, sessionId: string, request: SendMessageDto, context: CallContext): RelayOrder {
    return {
      caller,
      context,
      method: 'session.message',
      params: { content: request.content },
      timeoutMs: MAX_DEVICE_MS,
      sessionId,
      machineId: null,
      request,
      route: () => this.routeMessage(caller.accountId, sessionId),
    };
  }

  /** The session's host; else its machine's device; else the account device that connected last. */
  private async routeMessage(accountId: string, sessionId: string): Promise<Candidate[]> {
    const session = await this.sessions.routeOf(accountId, sessionId);
    if (session.state !== 'active') throw sessionNotActive();
    const candidates: Candidate[] = [];
    if (session.hostDeviceId) candidates.push({ deviceId: session.hostDeviceId });
    if (session.machineId) {
      candidates.push({ deviceId: await this.machines.deviceOf(accountId, session.machineId) });
    }
    return [...candidates, { newest: 'account' }];
  }
}
