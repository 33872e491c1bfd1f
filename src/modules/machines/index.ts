export * from './machines.module';
export { MachinesService, type MachineStateChange } from './machines.service';
export { MachineDto } from './machine.response.dto';
