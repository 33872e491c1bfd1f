import { Module } from '@nestjs/common';
import { MetricsModule } from '../metrics';
import { RedisModule } from '../redis';
import { ChangeWaitRegistry } from './change-wait-registry';
import { ChangeWaitsService } from './change-waits.service';

@Module({
  imports: [MetricsModule, RedisModule],
  providers: [ChangeWaitRegistry, ChangeWaitsService],
  exports: [ChangeWaitsService],
})
export class WaitsModule {}
