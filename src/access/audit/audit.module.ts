import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { DAY } from '../../common/clock';
import { Config } from '../../core/config';
import { RetentionService } from '../../core/database';
import { AuditEventEntity } from './audit-event.entity';
import { AuditRecorder } from './audit-recorder';
import { AuditTrailRepository } from './audit-trail.repository';

/** Writes the audit trail. `modules/audit-events` shows it to the account's owner. */
@Module({
  imports: [TypeOrmModule.forFeature([AuditEventEntity])],
  providers: [AuditRecorder, AuditTrailRepository],
  exports: [AuditRecorder],
})
export class AuditModule {
  constructor(retentionService: RetentionService, config: Config) {
    retentionService.registerRules({
      table: 'audit_events',
      column: 'created_at',
      retentionMs: config.retentionDays.auditEvents * DAY,
    });
  }
}
