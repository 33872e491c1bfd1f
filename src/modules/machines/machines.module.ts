import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { EventsModule } from '../../core/events';
import { AccountsModule } from '../accounts';
import { MachineRegistrationController } from './machine-registration.controller';
import { MachineEntity } from './machine.entity';
import { ControlMachinesController, MachinesController } from './machines.controller';
import { MachinesRepository } from './machines.repository';
import { MachinesService } from './machines.service';

@Module({
  imports: [AccountsModule, EventsModule, TypeOrmModule.forFeature([MachineEntity])],
  controllers: [MachinesController, ControlMachinesController, MachineRegistrationController],
  providers: [MachinesRepository, MachinesService],
  exports: [MachinesService],
})
export class MachinesModule {}
