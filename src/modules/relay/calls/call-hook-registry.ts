import { Injectable } from '@nestjs/common';
import type { RelayMethod } from '@external-api/protocol';
import type { DeviceAnswer } from '../../relay-bus';
import type { CallContext } from './call-context';
import type { CallReply } from './call-reply';
import type { UnsentRequest } from './relay-request';

/** What a method does beside the relay of one call. A late answer's hook lives for minutes: keep ids, not the body. */
export interface CallHooks {
  /** Runs before anything is sent. @throws ApiError, with which the call is refused */
  beforeSending?: () => Promise<void>;
  /**
   * Stores what the device answered, in time or late, and returns what the caller gets. Never rejects.
   * @param answer null if there is none
   */
  onReply?: (reply: CallReply, answer: DeviceAnswer | null) => Promise<CallReply>;
}

type RequestOf<Method extends RelayMethod> = Extract<UnsentRequest, { method: Method }>;
type HookFactory<Method extends RelayMethod> = (context: CallContext, request: RequestOf<Method>) => CallHooks;

/** Hooks of methods. Each is registered once, by the service that does the work. */
@Injectable()
export class CallHookRegistry {
  private readonly factories = new Map<RelayMethod, HookFactory<RelayMethod>>();

  registerHooks<Method extends RelayMethod>(method: Method, createHooks: HookFactory<Method>): void {
    this.factories.set(method, createHooks as unknown as HookFactory<RelayMethod>);
  }

  createHooks(context: CallContext, request: UnsentRequest): CallHooks {
    return this.factories.get(request.method)?.(context, request) ?? {};
  }
}
