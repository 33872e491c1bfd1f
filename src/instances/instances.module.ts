import { Module } from '@nestjs/common';
import { Instances } from './instances';
import { InstancesRepository } from './instances.repository';

/** Which processes serve this database. */
@Module({
  providers: [Instances, InstancesRepository],
  exports: [Instances],
})
export class InstancesModule {}
