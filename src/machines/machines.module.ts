import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AccountsModule } from '../accounts';
import { MachineRegistrationController } from './machine-registration.controller';
import { MachineAnnouncer } from './machine-announcer';
import { MachineEntity } from './machine.entity';
import { MachinesController } from './machines.controller';
import { MachinesExport } from './machines-export';
import { MachinesRepository } from './machines.repository';
import { MachinesService } from './machines.service';

@Module({
  imports: [AccountsModule, TypeOrmModule.forFeature([MachineEntity])],
  controllers: [MachinesController, MachineRegistrationController],
  providers: [MachineAnnouncer, MachinesExport, MachinesRepository, MachinesService],
  exports: [MachinesService],
})
export class MachinesModule {}
