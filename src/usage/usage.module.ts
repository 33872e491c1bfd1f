import { Module, type MiddlewareConsumer, type NestModule } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AccountsModule } from '../accounts';
import { DAY } from '../common/clock';
import { Retention } from '../persistence';
import { UsageCountEntity } from './usage-count.entity';
import { UsageRecorder } from './usage-recorder';
import { UsageController } from './usage.controller';
import { UsageMiddleware } from './usage.middleware';
import { UsageRepository } from './usage.repository';
import { UsageService } from './usage.service';

@Module({
  imports: [AccountsModule, TypeOrmModule.forFeature([UsageCountEntity])],
  controllers: [UsageController],
  providers: [UsageRecorder, UsageRepository, UsageService],
  exports: [UsageService],
})
export class UsageModule implements NestModule {
  constructor(retention: Retention) {
    // So that a month can be held against the same one a year before.
    retention.register({ table: 'usage_counts', column: 'hour', keepMs: 400 * DAY });
  }

  configure(consumer: MiddlewareConsumer): void {
    consumer.apply(UsageMiddleware).forRoutes('external/v1/{*path}');
  }
}
