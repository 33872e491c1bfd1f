import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AccountsModule } from '../accounts';
import { MachinesModule } from '../machines';
import { CreateSessionService } from './create-session.service';
import { DeleteSessionService } from './delete-session.service';
import { DeviceSessionsController } from './device-sessions.controller';
import { HostedSessions } from './hosted-sessions';
import { SessionEntity } from './session.entity';
import { SessionLog } from './session-log';
import { SessionsController } from './sessions.controller';
import { SessionsExport } from './sessions-export';
import { SessionsRepository } from './sessions.repository';
import { SessionsService } from './sessions.service';
import { UpdateSessionService } from './update-session.service';

@Module({
  imports: [AccountsModule, MachinesModule, TypeOrmModule.forFeature([SessionEntity])],
  controllers: [SessionsController, DeviceSessionsController],
  providers: [
    CreateSessionService,
    DeleteSessionService,
    HostedSessions,
    SessionLog,
    SessionsExport,
    SessionsRepository,
    SessionsService,
    UpdateSessionService,
  ],
  exports: [HostedSessions, SessionLog, SessionsService],
})
export class SessionsModule {}
