export { InvocationDto, toInvocationDto, type InvocationRow } from './invocation.response.dto';
export { hasInvocationEnded } from './invocation-transitions';
export { InvocationStartsService } from './invocation-starts.service';
export * from './invocations.module';
export { InvocationsService } from './invocations.service';
