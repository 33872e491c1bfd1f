export { ReportTurnService } from './report-turn.service';
export { TurnDto, type TurnRow } from './turn.response.dto';
export { TurnMessageRecorder } from './turn-message-recorder';
export * from './turns.module';
export { TurnsService } from './turns.service';
