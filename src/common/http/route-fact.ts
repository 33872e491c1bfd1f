import type { ExecutionContext } from '@nestjs/common';

/** Handler, and the controller that serves it. The handler may be inherited from another controller. */
export interface RouteTarget {
  controller: { prototype: unknown };
  handler: { name: string };
}

type Facts = Map<RouteFact<unknown>, unknown>;

interface RequestOfRoute {
  /** Facts of the route that serves the request, once a guard has asked for one. */
  routeFacts?: Facts;
}

const factsByController = new WeakMap<object, WeakMap<object, Facts>>();

/**
 * What the decorators of a route say about one subject. Each layer defines its facts beside its decorators. A fact is
 * computed by the first call of a route, and the facts of a route are looked up once per call, by its first guard.
 */
export class RouteFact<T> {
  /** @param compute reads the decorators */
  constructor(private readonly compute: (target: RouteTarget) => T) {}

  /** Returns the fact of the route that serves an HTTP call. */
  get(context: ExecutionContext): T {
    const request = context.switchToHttp().getRequest<RequestOfRoute>();
    const facts = (request.routeFacts ??= findFacts(context));
    if (facts.has(this)) return facts.get(this) as T;
    const value = this.compute({ controller: context.getClass(), handler: context.getHandler() });
    facts.set(this, value);
    return value;
  }
}

function findFacts(context: ExecutionContext): Facts {
  const [controller, handler] = [context.getClass(), context.getHandler()];
  let factsByHandler = factsByController.get(controller);
  if (!factsByHandler) factsByController.set(controller, (factsByHandler = new WeakMap()));
  let facts = factsByHandler.get(handler);
  if (!facts) factsByHandler.set(handler, (facts = new Map()));
  return facts;
}
