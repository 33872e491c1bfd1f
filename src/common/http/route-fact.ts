import type { ExecutionContext } from '@nestjs/common';

/** Handler, and the controller that serves it. The handler may be inherited from another controller. */
export interface RouteTarget {
  controller: { prototype: unknown };
  handler: { name: string };
}

type Facts = ReadonlyMap<RouteFact<unknown>, unknown>;

interface RequestOfRoute {
  /** Facts of the route that serves the request, once a guard has asked for one. */
  routeFacts?: Facts;
}

const allFacts: RouteFact<unknown>[] = [];
const factsByController = new WeakMap<object, WeakMap<object, Facts>>();

/**
 * What the decorators of a route say about one subject. Each layer defines its facts beside its decorators.
 * `RouteRegistry` computes the facts of all routes at start, and the first guard of a call looks up those of its route.
 */
export class RouteFact<T> {
  /** @param compute reads the decorators */
  constructor(readonly compute: (target: RouteTarget) => T) {
    allFacts.push(this);
  }

  /** Returns the fact of the route that serves an HTTP call. */
  get(context: ExecutionContext): T {
    const request = context.switchToHttp().getRequest<RequestOfRoute>();
    request.routeFacts ??= factsOf({ controller: context.getClass(), handler: context.getHandler() });
    return request.routeFacts.get(this) as T;
  }
}

/** Returns all facts of a route, and computes them the first time. */
export function factsOf(target: RouteTarget): Facts {
  let factsByHandler = factsByController.get(target.controller);
  if (!factsByHandler) factsByController.set(target.controller, (factsByHandler = new WeakMap()));
  const computed = factsByHandler.get(target.handler);
  if (computed) return computed;
  const facts = new Map(allFacts.map((fact) => [fact, fact.compute(target)]));
  factsByHandler.set(target.handler, facts);
  return facts;
}
