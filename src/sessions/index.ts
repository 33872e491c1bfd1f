export { ContentAccess, type ContentCaller } from './content-access';
export { DataKeyDto } from './data-key.dto';
export { HostedSessions } from './hosted-sessions';
export { SessionLog } from './session-log';
export type { SessionRow } from './session-record';
export * from './sessions.module';
export { SessionsService } from './sessions.service';
