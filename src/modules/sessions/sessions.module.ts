import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { SessionMachineReader } from '../../access/auth';
import { EventsModule } from '../../core/events';
import { InstancesModule } from '../../core/instances';
import { AccountsModule } from '../accounts';
import { MachinesModule } from '../machines';
import { CreateSessionService } from './create-session.service';
import { DeleteSessionService } from './delete-session.service';
import { DeviceSessionsController } from './device-sessions.controller';
import { SessionAuthorizer } from './session-authorizer';
import { SessionEndNotifier } from './session-end-notifier';
import { SessionEntity } from './session.entity';
import { SessionActivityRecorder } from './session-activity-recorder';
import { SessionsController } from './sessions.controller';
import { SessionsRepository } from './sessions.repository';
import { SessionsService } from './sessions.service';
import { UpdateSessionService } from './update-session.service';

@Module({
  imports: [AccountsModule, EventsModule, InstancesModule, MachinesModule, TypeOrmModule.forFeature([SessionEntity])],
  controllers: [SessionsController, DeviceSessionsController],
  providers: [
    CreateSessionService,
    DeleteSessionService,
    SessionAuthorizer,
    SessionActivityRecorder,
    SessionEndNotifier,
    SessionsRepository,
    SessionsService,
    { provide: SessionMachineReader, useExisting: SessionsService },
    UpdateSessionService,
  ],
  exports: [SessionAuthorizer, SessionActivityRecorder, SessionEndNotifier, SessionMachineReader, SessionsService],
})
export class SessionsModule {}
