export * from './machines.module';
export { MachinesService } from './machines.service';
export { MachineDto } from './machine.response.dto';
