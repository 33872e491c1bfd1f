import { createLogger } from './logger';
import { createTerminalLog } from './terminal-log';

describe('createTerminalLog', () => {
  let text: string;
  const log = (hasColors = false, level = 'debug') => {
    text = '';
    const write = (chunk: string | Uint8Array) => ((text += String(chunk)), true);
    return createLogger(level, createTerminalLog({ write, hasColors: () => hasColors }));
  };

  it('writes one line per event, with the time, the level unless it is info, and the fields', () => {
    const logger = log();
    logger.info({ context: 'Webhooks', webhookId: 'whk_1', attempt: 2, none: null }, 'webhook attempt failed');
    logger.warn({ ranges: ['a', 'b'] }, 'slow');
    const [first, second, end] = text.split('\n');
    expect(first).toMatch(/^\d\d:\d\d:\d\d {2}webhook attempt failed {2}context=Webhooks webhookId=whk_1 attempt=2$/);
    expect(second).toMatch(/^\d\d:\d\d:\d\d {2}WARN {2}slow {2}ranges=\["a","b"\]$/);
    expect(end).toBe('');
  });

  it('writes a request with its route, status, error code and duration', () => {
    const request = { requestId: 'req_1', method: 'GET', durationMs: 3, operation: 'getMe', accountId: 'acc_1' };
    log().info({ ...request, route: '/external/v1/me', status: 200 }, 'request');
    expect(text.slice(10)).toBe('GET /external/v1/me  200  3 ms  req_1\n');
    log().info({ ...request, route: null, status: 404, code: 'not_found' }, 'request');
    expect(text.slice(10)).toBe('GET (no route)  404 not_found  3 ms  req_1\n');
  });

  it('shows the reason of a warning, and the stack of an error', () => {
    const err = new Error('connection refused');
    log().warn({ err }, 'instance heartbeat failed');
    expect(text.slice(10)).toBe('WARN  instance heartbeat failed: connection refused\n');
    log().error({ err }, 'unexpected error');
    expect(text).toMatch(/ERROR {2}unexpected error: connection refused\nError: connection refused\n {4}at /);
  });

  it('contains no secrets and no characters that control the terminal', () => {
    const secrets = { token: 'svc_pat_x', secret: 'svc_pat_x', authorization: 'svc_pat_x' };
    const fields = { ...secrets, signature: 'svc_pat_x', webhook: secrets };
    log().error({ ...fields, err: new Error('\x1b[2J\u202egone\r') }, 'failed\n\x07');
    expect(text).toContain('token=[redacted]');
    expect(text.match(/\[redacted\]/g)).toHaveLength(7);
    expect(text).not.toContain('svc_pat_x');
    expect(text.replaceAll('\n', '')).not.toMatch(/\p{Cc}|\p{Cf}/u);
    expect(text.split('\n')[0]).toContain('failed');
  });

  it('uses colors only if the terminal has them', () => {
    log(true).warn('slow');
    expect(text).toContain('\x1b[33mWARN\x1b[0m');
  });
});
