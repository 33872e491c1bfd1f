import { Controller, Get, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ExecutionContextHost } from '@nestjs/core/helpers/execution-context-host';
import { RouteFact, type RouteTarget } from './route-fact';
import { RoutesModule } from './routes.module';

describe('a fact of a route', () => {
  const computed: string[] = [];
  const fact = new RouteFact(({ controller, handler }: RouteTarget) => {
    const name = `${(controller as typeof Function).name}.${handler.name}`;
    if (handler.name === 'misdeclared') throw new Error(`${name} is wrong`);
    computed.push(name);
    return name;
  });
  const otherFact = new RouteFact(() => 'other');

  @Controller('items')
  class Items {
    @Get()
    list(): void {}
    @Get(':id')
    read(): void {}
  }
  @Controller('control/items')
  class ControlItems extends Items {}

  const start = async (...controllers: (new () => object)[]) => {
    @Module({ imports: [RoutesModule], controllers })
    class TestModule {}
    const app = await NestFactory.createApplicationContext(TestModule, { logger: false, abortOnError: false });
    await app.close();
  };
  const createContext = (controller: typeof Items, name: 'list' | 'read', request: object = {}) =>
    new ExecutionContextHost([request], controller, Items.prototype[name]);
  const get = (...args: Parameters<typeof createContext>) => fact.get(createContext(...args));

  it('belongs to the handler and to the controller that serves it, and is computed once, at start', async () => {
    await start(Items, ControlItems);
    expect([get(Items, 'list'), get(Items, 'read'), get(ControlItems, 'list')]).toEqual([
      'Items.list',
      'Items.read',
      'ControlItems.list',
    ]);
    expect(computed).toEqual(['Items.list', 'Items.read', 'ControlItems.list', 'ControlItems.read']);
  });

  it('of several kinds is looked up once per call', () => {
    const request: { routeFacts?: unknown } = {};
    const context = createContext(Items, 'list', request);
    expect(fact.get(context)).toBe('Items.list');
    const { routeFacts } = request;
    expect(otherFact.get(context)).toBe('other');
    expect(request.routeFacts).toBe(routeFacts);
  });

  it('fails the start if it cannot be computed', async () => {
    @Controller('items')
    class WrongItems {
      @Get()
      misdeclared(): void {}
    }
    await expect(start(WrongItems)).rejects.toThrow('WrongItems.misdeclared is wrong');
  });
});
