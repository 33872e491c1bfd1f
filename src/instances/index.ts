export * from './instances';
export * from './instances.module';
