export { SessionContentPolicy, type ContentCaller } from './session-content-policy';
export { DataKeyDto } from './data-key.dto';
export { SessionAuthorizer } from './session-authorizer';
export { SessionActivityRecorder } from './session-activity-recorder';
export type { SessionActivity } from './session.entity';
export type { SessionRow } from './session.response.dto';
export { sessionNotActiveError } from './sessions.errors';
export * from './sessions.module';
export { SessionsService, type SessionRoute } from './sessions.service';
