import { AgentError, describeFailure } from './agent-error';
import { JsonRpcError } from './json-rpc-peer';
import { toAgentError } from './to-agent-error';

const convert = (code: number, message: string, data?: unknown) =>
  toAgentError(new JsonRpcError(code, message, data), '');

it.each<[number, string, unknown]>([
  [-32000, 'Authentication required', undefined],
  [401, 'Bad key', undefined],
  [403, 'No', undefined],
  [
    -32603,
    'Internal error',
    { details: '401 {"error":{"type":"authentication_error","message":"invalid x-api-key"}}' },
  ],
  [-32603, 'Internal error', 'Incorrect API key provided: sk-x'],
  [-32603, 'Request failed with status code 401', undefined],
  [-32603, 'Internal error', { error: { status: 401 } }],
  [-32603, 'API key not valid. Please pass a valid API key.', undefined],
  [-32603, 'You are not logged in', undefined],
  [-32603, 'Internal error', { statusCode: 403 }],
  [-32603, 'Internal error', { code: '401' }],
  [-32603, 'Unauthorized', undefined],
  [-32603, 'Authentication failed', undefined],
  [-32603, 'No credentials found', undefined],
  [-32603, 'Expired access token', undefined],
  [-32603, 'OPENAI_API_KEY: API key is not set', undefined],
])('an error of authentication is one: %j %j %j', (code, message, data) => {
  expect(convert(code, message, data).code).toBe('agent_auth_required');
});

it.each<[number, string, unknown]>([
  [-32603, 'Internal error', undefined],
  [400, 'prompt is too long: 401 pages', undefined],
  [429, 'Rate limit exceeded', { status: 429 }],
  [-32603, 'Internal error', { details: 'ENOENT: /home/ada/api/key.ts:403' }],
])('another error is none of authentication: %j %j %j', (code, message, data) => {
  expect(convert(code, message, data).code).toBe('agent_error');
});

it.each<[string, unknown, string]>([
  ['prompt is too long', undefined, 'prompt is too long'],
  ['Internal error', { details: 'the reason' }, 'Internal error\nthe reason'],
  ['Internal error', { error: { message: 'inner' } }, 'Internal error\n{"error":{"message":"inner"}}'],
  ['a\u001b[31m\u202e', null, 'a\\u{1b}[31m\\u{202e}'],
])('is described by its text: %j %j', (message, data, text) => {
  expect(describeFailure(convert(-32603, message, data))).toBe(
    `The agent answered with error -32603.\nIt said: ${text}`,
  );
});

it('has texts of a bounded length, cut between characters', () => {
  const { report } = convert(-32603, '😀'.repeat(2_000), { details: 'x'.repeat(5_000_000) });
  expect(Buffer.byteLength(report.errorText!)).toBeLessThanOrEqual(1_024);
  expect(report.errorText).toMatch(/^(?:😀)+\n\[\.\.\. \d+ bytes left out \.\.\.\]\nx+$/);
});

it('keeps what is known of an error that is mapped twice, and out of its message', () => {
  const error = toAgentError(new JsonRpcError(-32603, 'secret'), 'first');
  expect(toAgentError(error, 'later').report).toEqual({ errorText: 'secret', lastErrorLines: 'first' });
  expect(error.message).not.toContain('secret');
  expect(describeFailure(toAgentError(new AgentError('agent_lost', 'The agent ended (status 1).'), 'a\nb'))).toBe(
    'The agent ended (status 1).\nThe last lines of its standard error:\na\nb',
  );
});
