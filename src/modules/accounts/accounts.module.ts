import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AuditModule } from '../../access/audit';
import { AuthModule } from '../../access/auth';
import { DeprecationsModule } from '../../access/deprecation';
import { RateLimitModule } from '../../access/rate-limiting';
import { EventsModule } from '../../core/events';
import { MetricsModule } from '../../core/metrics';
import { AccountAdminService } from './account-admin.service';
import { AccountExportSender } from './account-export-sender';
import { AccountExporter } from './account-exporter';
import { AccountController } from './account.controller';
import { AccountEntity } from './account.entity';
import { AccountsRepository } from './accounts.repository';
import { AccountsService } from './accounts.service';
import { AccountCleanup } from './deletion/account-cleanup';
import { AccountDeletionMetrics } from './deletion/account-deletion-metrics';
import { AccountDeletionRepository } from './deletion/account-deletion.repository';
import { AccountDeletionService } from './deletion/account-deletion.service';
import { AccountRecordsRepository } from './deletion/account-records.repository';
import { AccountRevocationRegistry } from './deletion/account-revocation-registry';
import { EventQuota } from './event-quota';
import { EventUsageEntity } from './event-usage.entity';
import { EventUsageRepository } from './event-usage.repository';
import { InvitationEntity } from './invitation.entity';
import { InvitationsService } from './invitations.service';
import { MeController } from './me.controller';
import { StorageQuota } from './storage-quota';

@Module({
  imports: [
    AuditModule,
    AuthModule,
    DeprecationsModule,
    EventsModule,
    MetricsModule,
    RateLimitModule,
    TypeOrmModule.forFeature([AccountEntity, EventUsageEntity, InvitationEntity]),
  ],
  controllers: [AccountController, MeController],
  providers: [
    AccountAdminService,
    AccountCleanup,
    AccountDeletionMetrics,
    AccountDeletionRepository,
    AccountDeletionService,
    AccountExportSender,
    AccountExporter,
    AccountRecordsRepository,
    AccountRevocationRegistry,
    AccountsRepository,
    AccountsService,
    EventQuota,
    EventUsageRepository,
    InvitationsService,
    StorageQuota,
  ],
  exports: [
    AccountAdminService,
    AccountDeletionService,
    AccountExportSender,
    AccountExporter,
    AccountRevocationRegistry,
    AccountsService,
    EventQuota,
    InvitationsService,
    StorageQuota,
  ],
})
export class AccountsModule {}
