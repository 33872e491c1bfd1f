import { Module } from '@nestjs/common';
import { InstanceRegistry } from './instance-registry';
import { InstancesRepository } from './instances.repository';

/** Heartbeats and liveness of the processes that serve this database. */
@Module({
  providers: [InstanceRegistry, InstancesRepository],
  exports: [InstanceRegistry],
})
export class InstancesModule {}
