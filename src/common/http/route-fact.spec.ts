import { ExecutionContextHost } from '@nestjs/core/helpers/execution-context-host';
import { RouteFact, type RouteTarget } from './route-fact';

class Items {
  list(): void {}
  create(): void {}
}
class ControlItems extends Items {}

describe('a fact of a route', () => {
  let targets: string[];
  let fact: RouteFact<string>;
  const compute = ({ controller, handler }: RouteTarget) => {
    const name = `${(controller as typeof Items).name}.${handler.name}`;
    targets.push(name);
    return name;
  };
  beforeEach(() => {
    targets = [];
    fact = new RouteFact(compute);
  });

  const createContext = (controller: typeof Items, name: 'list' | 'create', request: object = {}) =>
    new ExecutionContextHost([request], controller, Items.prototype[name]);
  const get = (...args: Parameters<typeof createContext>) => fact.get(createContext(...args));

  it('is computed once, by the first call of the route', () => {
    expect([get(Items, 'list'), get(Items, 'list')]).toEqual(['Items.list', 'Items.list']);
    expect(targets).toEqual(['Items.list']);
  });

  it('belongs to the handler and to the controller that serves it', () => {
    const facts = [get(Items, 'list'), get(Items, 'create'), get(ControlItems, 'list')];
    expect(facts).toEqual(['Items.list', 'Items.create', 'ControlItems.list']);
  });

  it('of several kinds is looked up once per call', () => {
    const request: { routeFacts?: unknown } = {};
    get(Items, 'list', request);
    const { routeFacts } = request;
    const other = new RouteFact(() => undefined);
    expect(other.get(createContext(Items, 'list', request))).toBeUndefined();
    expect(request.routeFacts).toBe(routeFacts);
  });
});
