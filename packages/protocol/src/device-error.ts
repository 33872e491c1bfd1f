/** Errors of the reference device. With `busy` the device did nothing, so the caller may try again. */
export type DeviceErrorCode =
  | 'command_not_found'
  | 'permission_denied'
  | 'cwd_not_found'
  | 'cwd_not_allowed'
  | 'agent_not_found'
  | 'agent_auth_required'
  | 'agent_start_failed'
  | 'agent_unsupported'
  | 'agent_session_not_found'
  | 'mode_not_found'
  | 'agent_mode_unsafe'
  | 'option_not_found'
  | 'option_value_not_found'
  | 'option_refused'
  | 'options_unknown'
  | 'scope_required'
  | 'session_exists'
  | 'permission_not_pending'
  | 'session_busy'
  | 'steer_unsupported'
  | 'output_not_found'
  | 'invalid_cursor'
  | 'conflict'
  | 'busy'
  | 'cancelled'
  | 'invalid_content'
  | 'attachment_unsupported'
  | 'invalid_answers'
  | 'internal';

export interface DeviceError {
  code: string;
  message: string;
  /** With `session_exists`, the session that exists already, if the device knows its id. */
  sessionId?: string;
}
