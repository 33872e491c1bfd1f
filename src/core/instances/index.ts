export * from './instance-registry';
export * from './instances.module';
