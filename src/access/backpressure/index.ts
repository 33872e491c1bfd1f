export * from './backpressure.guard';
export * from './backpressure.module';
export { ReserveResponseBytes } from './reserve-response-bytes.decorator';
