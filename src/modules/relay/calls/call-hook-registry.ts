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
   * @param deviceId device that answered, if it is known
   */
  onReply?: (reply: CallReply, answer: DeviceAnswer | null, deviceId?: string | null) => Promise<CallReply>;
}

type RequestOf<Method extends RelayMethod> = Extract<UnsentRequest, { method: Method }>;
type HookFactory<Method extends RelayMethod> = (context: CallContext, request: RequestOf<Method>) => CallHooks;

/** Hooks of methods, registered by the services that do the work. They run in the order of their registration. */
@Injectable()
export class CallHookRegistry {
  private readonly factories = new Map<RelayMethod, HookFactory<RelayMethod>[]>();

  registerHooks<Method extends RelayMethod>(method: Method, createHooks: HookFactory<Method>): void {
    const factories = this.factories.get(method) ?? [];
    this.factories.set(method, [...factories, createHooks as unknown as HookFactory<RelayMethod>]);
  }

  createHooks(context: CallContext, request: UnsentRequest): CallHooks {
    const hooks = (this.factories.get(request.method) ?? []).map((factory) => factory(context, request));
    return hooks.reduce(joinHooks, {});
  }
}

/** Returns hooks that run both. */
function joinHooks(first: CallHooks, second: CallHooks): CallHooks {
  return {
    beforeSending: async () => {
      await first.beforeSending?.();
      await second.beforeSending?.();
    },
    onReply: async (reply, answer, deviceId) => {
      const changed = first.onReply ? await first.onReply(reply, answer, deviceId) : reply;
      return second.onReply ? second.onReply(changed, answer, deviceId) : changed;
    },
  };
}
