import { Module, type MiddlewareConsumer, type NestModule } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AccountsModule } from '../accounts';
import { DAY } from '../../common/clock';
import { Config } from '../../core/config';
import { RetentionService } from '../../core/database';
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
  constructor(retentionService: RetentionService, config: Config) {
    retentionService.registerRules({
      table: 'usage_counts',
      column: 'hour',
      retentionMs: config.retentionDays.usage * DAY,
    });
  }

  configure(consumer: MiddlewareConsumer): void {
    consumer.apply(UsageMiddleware).forRoutes('external/v1/{*path}');
  }
}
