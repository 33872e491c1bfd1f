export * from './machines.module';
export { MachinesService } from './machines.service';
export type { MachineRecord } from './machine-record';
