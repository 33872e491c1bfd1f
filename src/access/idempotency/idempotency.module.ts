import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { DAY } from '../../common/clock';
import { InstancesModule } from '../../core/instances';
import { RetentionService } from '../../core/database';
import { RoutesModule } from '../../common/http';
import { ResponseCipher } from './response-cipher';
import { IdempotencyKeyEntity } from './idempotency-key.entity';
import { IdempotentRouteValidator } from './idempotency-key';
import { IdempotencyRepository } from './idempotency.repository';
import { IdempotencyService } from './idempotency.service';
import { StoredResponseBytesRepository } from './stored-response-bytes.repository';
import { IdempotentWritesService } from './idempotent-writes.service';

@Module({
  imports: [InstancesModule, RoutesModule, TypeOrmModule.forFeature([IdempotencyKeyEntity])],
  providers: [
    ResponseCipher,
    IdempotencyService,
    IdempotencyRepository,
    StoredResponseBytesRepository,
    IdempotentRouteValidator,
    IdempotentWritesService,
  ],
  exports: [IdempotencyService, IdempotentWritesService],
})
export class IdempotencyModule {
  constructor(retentionService: RetentionService) {
    retentionService.registerRules(
      { table: 'idempotency_keys', column: 'expires_at', retentionMs: 0 },
      { table: 'kept_answer_hours', column: 'hour', retentionMs: 2 * DAY },
    );
  }
}
