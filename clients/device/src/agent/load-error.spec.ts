import { JsonRpcError } from './json-rpc-peer';
import { toLoadError } from './load-error';

const ID = '019a-7c21';
const findError = (code: number, message: string, data?: unknown) =>
  toLoadError(new JsonRpcError(code, message, data), ID);

describe('the refusal to load a session', () => {
  it.each([
    [-32002, 'anything', undefined],
    [-32602, 'unknown', undefined],
    [-32602, 'Unknown session', undefined],
    [-32603, `Session not found: ${ID}`, undefined],
    [-32603, `Session "${ID}" does not exist.`, undefined],
    [-32603, 'Internal error', { details: `No conversation found with session ID: ${ID}` }],
    [-32603, 'Internal error', `no rollout found for thread id ${ID}`],
    [-32602, 'Invalid params', { error: { message: `Session not found for id: ${ID}` } }],
    [-32603, `Invalid session identifier "${ID}".`, undefined],
    [-32603, 'No previous sessions found for this project.', undefined],
    [-32603, `Could not find session ${ID}`, undefined],
    [-32603, `Resource not found: ${ID}`, undefined],
  ])('says that the session is unknown: %d %s %j', (code, message, data) => {
    expect(findError(code, message, data)).toBeUndefined();
  });

  it.each([
    [-32600, 'thread_active_writer', { reason: 'The thread is open in another client.' }],
    [-32603, 'Internal error', undefined],
    [-32603, '', null],
    [-32603, 'database is locked', undefined],
    [-32603, 'Failed to load session: unknown error', undefined],
    [-32603, 'Could not find session lock', undefined],
    [-32603, 'session database not found', undefined],
    [-32601, 'Method not found', undefined],
    [-32602, 'Invalid params', 'unknown field mcpServers'],
    [-32603, 'Your session has expired. Log in again.', undefined],
  ])('may pass: %d %s %j', (code, message, data) => {
    expect(findError(code, message, data)).toMatchObject({ code: 'agent_session_unavailable' });
  });

  it('is that of an agent which must be signed in, or has ended', () => {
    expect(findError(-32000, 'Unknown session')).toMatchObject({ code: 'agent_auth_required' });
    expect(toLoadError(new Error('broken pipe'), ID)).toMatchObject({ code: 'agent_error' });
  });
});
