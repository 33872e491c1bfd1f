import { Controller, Module, Post, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ControlController, DeviceOnly, RequireScopes } from '../auth';
import { RoutesModule } from '../../common/http';
import { IdempotencyKey, IdempotentRouteValidator } from './idempotency-key';

@Controller('external/v1/notes')
class IdempotentController {
  @Post()
  @RequireScopes('sessions:write')
  createNote(@IdempotencyKey() key: string | null) {
    return { key };
  }
}

@Controller('external/v1/notes')
class KeylessController {
  @Post()
  @RequireScopes('sessions:write')
  createNote() {
    return {};
  }
}

@Controller('v1/notes')
class DeviceController {
  @Post()
  @DeviceOnly('sessions.write')
  createNote(@IdempotencyKey() key: string | null) {
    return { key };
  }
}

@ControlController('notes')
class ControlIdempotentController extends IdempotentController {}

describe('IdempotentRouteValidator', () => {
  const startWith = async (controller: Type) => {
    @Module({ imports: [RoutesModule], controllers: [controller], providers: [IdempotentRouteValidator] })
    class TestModule {}

    const app = await NestFactory.createApplicationContext(TestModule, { logger: false, abortOnError: false });
    await app.close();
  };

  it('accepts a POST of the External API that takes a key', async () => {
    await expect(startWith(IdempotentController)).resolves.toBeUndefined();
  });

  it('accepts a control route that takes a key', async () => {
    await expect(startWith(ControlIdempotentController)).resolves.toBeUndefined();
  });

  it('refuses to start with a POST of the External API that ignores the key', async () => {
    await expect(startWith(KeylessController)).rejects.toThrow('Fix: POST /external/v1/notes');
  });

  it('refuses to start with a route of devices that takes a key', async () => {
    await expect(startWith(DeviceController)).rejects.toThrow('Fix: POST /v1/notes');
  });
});
