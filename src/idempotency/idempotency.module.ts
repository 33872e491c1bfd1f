import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { Retention } from '../persistence';
import { AnswerVault } from './answer-vault';
import { IdempotencyKeyEntity } from './idempotency-key.entity';
import { IdempotencyRepository } from './idempotency.repository';
import { Idempotency } from './idempotency.service';
import { Origins, SingleProcessOrigins } from './origins';

@Module({
  imports: [TypeOrmModule.forFeature([IdempotencyKeyEntity])],
  providers: [
    AnswerVault,
    Idempotency,
    IdempotencyRepository,
    { provide: Origins, useClass: SingleProcessOrigins },
  ],
  exports: [Idempotency],
})
export class IdempotencyModule {
  constructor(retention: Retention) {
    retention.register({ table: 'idempotency_keys', column: 'expires_at', keepMs: 0 });
  }
}
