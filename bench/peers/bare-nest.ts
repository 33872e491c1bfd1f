import 'reflect-metadata';
import type { AddressInfo } from 'node:net';
import { Controller, Get, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';

/** Body of every response. */
const responseBody = JSON.parse(process.env.ANSWER!) as object;

@Controller('me')
class BareController {
  @Get()
  getMe(): object {
    return responseBody;
  }
}

@Module({ controllers: [BareController] })
class BareModule {}

async function main(): Promise<void> {
  const app = await NestFactory.create<NestExpressApplication>(BareModule, { logger: false });
  await app.listen(0, '127.0.0.1');
  process.send!({ port: (app.getHttpServer().address() as AddressInfo).port });
}

void main();
