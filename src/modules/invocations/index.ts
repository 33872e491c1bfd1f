export { InvocationDto } from './invocation.response.dto';
export { InvocationStartsService } from './invocation-starts.service';
export * from './invocations.module';
export { InvocationsService } from './invocations.service';
