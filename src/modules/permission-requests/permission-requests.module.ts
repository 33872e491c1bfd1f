import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AuditModule } from '../../access/audit';
import { EventsModule } from '../../core/events';
import { AccountsModule } from '../accounts';
import { SessionsModule } from '../sessions';
import { TurnsModule } from '../turns';
import { AccountPermissionRequestsController } from './account-permission-requests.controller';
import { DevicePermissionRequestsController } from './device-permission-requests.controller';
import { PermissionContentCleanup } from './permission-content-cleanup';
import { PermissionDecisionsService } from './permission-decisions.service';
import { PermissionEventPublisher } from './permission-event-publisher';
import { PermissionRequestEntity } from './permission-request.entity';
import { ControlPermissionRequestsController, PermissionRequestsController } from './permission-requests.controller';
import { PermissionRequestsRepository } from './permission-requests.repository';
import { PermissionRequestsService } from './permission-requests.service';
import { ReportPermissionRequestService } from './report-permission-request.service';

@Module({
  imports: [
    AccountsModule,
    AuditModule,
    EventsModule,
    SessionsModule,
    TurnsModule,
    TypeOrmModule.forFeature([PermissionRequestEntity]),
  ],
  controllers: [
    AccountPermissionRequestsController,
    ControlPermissionRequestsController,
    DevicePermissionRequestsController,
    PermissionRequestsController,
  ],
  providers: [
    PermissionContentCleanup,
    PermissionDecisionsService,
    PermissionEventPublisher,
    PermissionRequestsRepository,
    PermissionRequestsService,
    ReportPermissionRequestService,
  ],
  exports: [PermissionDecisionsService, PermissionRequestsService],
})
export class PermissionRequestsModule {}
