export * from './machines.module';
export { MachinesService } from './machines.service';
export type { MachineDto } from './machine.response.dto';
