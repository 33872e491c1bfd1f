import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AuditModule } from '../../access/audit';
import { DeprecationsModule } from '../../access/deprecation';
import { RateLimitModule } from '../../access/rate-limiting';
import { EventsModule } from '../../core/events';
import { AccountAdminService } from './account-admin.service';
import { AccountExporter } from './account-exporter';
import { AccountController } from './account.controller';
import { AccountEntity } from './account.entity';
import { AccountsRepository } from './accounts.repository';
import { AccountsService } from './accounts.service';
import { InvitationEntity } from './invitation.entity';
import { InvitationsService } from './invitations.service';
import { MeController } from './me.controller';
import { StorageQuota } from './storage-quota';

@Module({
  imports: [
    AuditModule,
    DeprecationsModule,
    EventsModule,
    RateLimitModule,
    TypeOrmModule.forFeature([AccountEntity, InvitationEntity]),
  ],
  controllers: [AccountController, MeController],
  providers: [
    AccountAdminService,
    AccountExporter,
    AccountsRepository,
    AccountsService,
    InvitationsService,
    StorageQuota,
  ],
  exports: [AccountAdminService, AccountExporter, AccountsService, InvitationsService, StorageQuota],
})
export class AccountsModule {}
