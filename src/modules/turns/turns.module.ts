import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { EventsModule } from '../../core/events';
import { MetricsModule } from '../../core/metrics';
import { RedisModule } from '../../core/redis';
import { WaitsModule } from '../../core/waits';
import { AccountsModule } from '../accounts';
import { DevicesModule } from '../devices';
import { SessionsModule } from '../sessions';
import { DeviceTurnsController } from './device-turns.controller';
import { ReportTurnService } from './report-turn.service';
import { TurnChangePublisher } from './turn-change-publisher';
import { TurnEntity } from './turn.entity';
import { TurnLossRecorder } from './turn-loss-recorder';
import { TurnMessageRecorder } from './turn-message-recorder';
import { ControlTurnsController, TurnsController } from './turns.controller';
import { TurnsRepository } from './turns.repository';
import { TurnsService } from './turns.service';

@Module({
  imports: [
    AccountsModule,
    DevicesModule,
    EventsModule,
    MetricsModule,
    RedisModule,
    SessionsModule,
    WaitsModule,
    TypeOrmModule.forFeature([TurnEntity]),
  ],
  controllers: [TurnsController, ControlTurnsController, DeviceTurnsController],
  providers: [
    ReportTurnService,
    TurnChangePublisher,
    TurnLossRecorder,
    TurnMessageRecorder,
    TurnsRepository,
    TurnsService,
  ],
  exports: [ReportTurnService, TurnMessageRecorder, TurnsService],
})
export class TurnsModule {}
