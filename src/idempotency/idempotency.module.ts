import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { InstancesModule } from '../instances';
import { Retention } from '../persistence';
import { AnswerVault } from './answer-vault';
import { IdempotencyKeyEntity } from './idempotency-key.entity';
import { IdempotencyRepository } from './idempotency.repository';
import { Idempotency } from './idempotency.service';
import { KeyedWrites } from './keyed-writes';

@Module({
  imports: [InstancesModule, TypeOrmModule.forFeature([IdempotencyKeyEntity])],
  providers: [AnswerVault, Idempotency, IdempotencyRepository, KeyedWrites],
  exports: [Idempotency, KeyedWrites],
})
export class IdempotencyModule {
  constructor(retention: Retention) {
    retention.register({ table: 'idempotency_keys', column: 'expires_at', keepMs: 0 });
  }
}
