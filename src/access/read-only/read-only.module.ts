import { Module } from '@nestjs/common';
import { MetricsModule } from '../../core/metrics';
import { AuditModule } from '../audit';
import { ReadOnlyModeRepository } from './read-only-mode.repository';
import { ReadOnlyModeService } from './read-only-mode.service';

/** Read-only mode for maintenance. Its guard runs on every route. */
@Module({
  imports: [AuditModule, MetricsModule],
  providers: [ReadOnlyModeRepository, ReadOnlyModeService],
  exports: [ReadOnlyModeService],
})
export class ReadOnlyModule {}
