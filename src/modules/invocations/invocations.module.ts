import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { DAY } from '../../common/clock';
import { Config } from '../../core/config';
import { RetentionService } from '../../core/database';
import { EventsModule } from '../../core/events';
import { MetricsModule } from '../../core/metrics';
import { RedisModule } from '../../core/redis';
import { WaitsModule } from '../../core/waits';
import { AccountsModule } from '../accounts';
import { DevicesModule } from '../devices';
import { MachinesModule } from '../machines';
import { DeviceInvocationsController } from './device-invocations.controller';
import { InvocationChangePublisher } from './invocation-change-publisher';
import { InvocationEntity } from './invocation.entity';
import { InvocationStartsService } from './invocation-starts.service';
import { ControlInvocationsController, InvocationsController } from './invocations.controller';
import { InvocationsRepository } from './invocations.repository';
import { InvocationsService } from './invocations.service';
import { ReportInvocationService } from './report-invocation.service';

@Module({
  imports: [
    AccountsModule,
    DevicesModule,
    EventsModule,
    MachinesModule,
    MetricsModule,
    RedisModule,
    WaitsModule,
    TypeOrmModule.forFeature([InvocationEntity]),
  ],
  controllers: [InvocationsController, ControlInvocationsController, DeviceInvocationsController],
  providers: [
    InvocationChangePublisher,
    InvocationStartsService,
    InvocationsRepository,
    InvocationsService,
    ReportInvocationService,
  ],
  exports: [InvocationStartsService, InvocationsService],
})
export class InvocationsModule {
  constructor(retentionService: RetentionService, config: Config) {
    retentionService.registerRules({
      table: 'invocations',
      column: 'updated_at',
      retentionMs: config.retentionDays.invocations * DAY,
    });
  }
}
