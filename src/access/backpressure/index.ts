export * from './backpressure.guard';
export * from './backpressure.module';
