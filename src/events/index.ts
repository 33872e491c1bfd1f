export * from './change';
export * from './changes';
export * from './events.module';
