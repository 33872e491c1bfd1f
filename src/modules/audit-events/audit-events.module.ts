import { Module } from '@nestjs/common';
import { AuthModule } from '../../access/auth';
import { AccountsModule } from '../accounts';
import { AuditEventsController } from './audit-events.controller';
import { AuditEventsRepository } from './audit-events.repository';
import { AuditEventsService } from './audit-events.service';

@Module({
  imports: [AccountsModule, AuthModule],
  controllers: [AuditEventsController],
  providers: [AuditEventsRepository, AuditEventsService],
  exports: [AuditEventsService],
})
export class AuditEventsModule {}
