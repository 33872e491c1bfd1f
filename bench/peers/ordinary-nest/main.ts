/**
 * The ordinary Nest app: the service's packages as their documentation wires them. Passport's bearer strategy with a
 * look-up by TypeORM, `@nestjs/throttler` with its Redis storage, `ValidationPipe`, helmet, compression, pino-http, and
 * socket.io with its Redis adapter between instances. It writes no audit rows and counts no usage.
 */
import 'reflect-metadata';
import type { AddressInfo } from 'node:net';
import { ThrottlerStorageRedisService } from '@nest-lab/throttler-storage-redis';
import { Module, ValidationPipe } from '@nestjs/common';
import { APP_GUARD, NestFactory } from '@nestjs/core';
import { PassportModule } from '@nestjs/passport';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { IoAdapter } from '@nestjs/platform-socket.io';
import { ThrottlerGuard, ThrottlerModule } from '@nestjs/throttler';
import { TypeOrmModule } from '@nestjs/typeorm';
import { createAdapter } from '@socket.io/redis-adapter';
import compression from 'compression';
import helmet from 'helmet';
import { Redis } from 'ioredis';
import { pinoHttp } from 'pino-http';
import { AppBearerStrategy } from './app-bearer.strategy';
import { AppDeviceGateway } from './app-device.gateway';
import { AppMachinesController } from './app-machines.controller';
import { AppMeController } from './app-me.controller';
import { AppAccountEntity, AppMachineEntity, AppTokenEntity } from './entities';

const { DATABASE_URL, REDIS_URL } = process.env as Record<string, string>;
const ENTITIES = [AppAccountEntity, AppTokenEntity, AppMachineEntity];

@Module({
  imports: [
    // The pool has the size of the service's.
    TypeOrmModule.forRoot({
      type: 'postgres',
      url: DATABASE_URL,
      entities: ENTITIES,
      synchronize: process.env.SYNCHRONIZE === 'true',
      installExtensions: false,
      extra: { max: 20 },
    }),
    TypeOrmModule.forFeature(ENTITIES),
    PassportModule,
    ThrottlerModule.forRoot({
      throttlers: [{ ttl: 60_000, limit: 1_000_000 }],
      storage: new ThrottlerStorageRedisService(REDIS_URL),
    }),
  ],
  controllers: [AppMeController, AppMachinesController],
  providers: [AppBearerStrategy, AppDeviceGateway, { provide: APP_GUARD, useClass: ThrottlerGuard }],
})
class OrdinaryAppModule {}

class RedisIoAdapter extends IoAdapter {
  private readonly publisher = new Redis(REDIS_URL!);
  private readonly subscriber = this.publisher.duplicate();

  override createIOServer(...[port, options]: Parameters<IoAdapter['createIOServer']>) {
    const server = super.createIOServer(port, options);
    return server.adapter(createAdapter(this.publisher, this.subscriber));
  }
}

async function main(): Promise<void> {
  const app = await NestFactory.create<NestExpressApplication>(OrdinaryAppModule, { logger: false });
  app.use(pinoHttp({ redact: ['req.headers.authorization'] }), helmet(), compression());
  app.useGlobalPipes(new ValidationPipe({ whitelist: true, transform: true }));
  app.useWebSocketAdapter(new RedisIoAdapter(app));
  await app.listen(0, '127.0.0.1');
  // As the service: Node's default of 5 s closes connections that a busy client is about to use.
  app.getHttpServer().keepAliveTimeout = 75_000;
  process.send!({ port: (app.getHttpServer().address() as AddressInfo).port });
}

void main();
