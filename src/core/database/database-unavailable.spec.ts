import { Client } from 'pg';
import { QueryFailedError } from 'typeorm';
import { DatabaseConnectionError, isDatabaseUnavailable } from './database-unavailable';

function createErrorWithCode(code: string, extra: object = {}): Error {
  return Object.assign(new Error('as the driver says it'), { code, ...extra });
}

describe('isDatabaseUnavailable', () => {
  it.each([
    ...['57P01', '57P02', '57P03', '57P05', '57014', '57000', '53000', '53100', '53200', '53300', '53400'],
    ...['08000', '08001', '08006', '08P01', '40000', '40001', '40003', '40P01', '25006', '25P03', '25P04'],
    ...['55000', '55P03', '58000', '58030', '58P01', '42501', '72000'],
  ])('knows SQLSTATE %s', (code) => {
    expect(isDatabaseUnavailable(createErrorWithCode(code))).toBe(true);
    expect(isDatabaseUnavailable(new QueryFailedError('SELECT 1', [], createErrorWithCode(code)))).toBe(true);
  });

  it.each(['FATAL', 'PANIC'])('knows the end of a session (%s) whatever code a pooler gives it', (severity) => {
    expect(isDatabaseUnavailable(createErrorWithCode('XX000', { severity }))).toBe(true);
  });

  it.each(['GetNewTransactionId', 'GetNewMultiXactId'])('knows the protection against wraparound (%s)', (routine) => {
    expect(isDatabaseUnavailable(createErrorWithCode('54000', { routine }))).toBe(true);
  });

  it('knows what the driver itself throws where nobody listens', async () => {
    for (const host of ['127.0.0.1', 'localhost']) {
      const client = new Client({ host, port: 1 });
      const error: unknown = await client.connect().catch((thrown: unknown) => thrown);
      expect(isDatabaseUnavailable(error)).toBe(true);
      expect(new DatabaseConnectionError(error).message).toContain('ECONNREFUSED');
    }
  });

  it.each([
    'Connection terminated unexpectedly',
    'Connection terminated due to connection timeout',
    'timeout exceeded when trying to connect',
    'Client has encountered a connection error and is not queryable',
  ])('knows "%s"', (message) => expect(isDatabaseUnavailable(new Error(message))).toBe(true));

  it.each([
    ['a statement at fault', new QueryFailedError('SELECT x', [], createErrorWithCode('42703'))],
    ['a constraint', createErrorWithCode('23505')],
    ['a constraint that rolls back', createErrorWithCode('40002')],
    ['a row beyond the limit of an index', createErrorWithCode('54000', { routine: '_bt_check_third_page' })],
    ['an error of the server', createErrorWithCode('XX000', { severity: 'ERROR' })],
    ['a missing file', createErrorWithCode('ENOENT', { syscall: 'open' })],
    ['an error of ours', new TypeError('undefined is not a function')],
    ['what is no error', 'Connection terminated'],
    ['nothing', undefined],
  ])('leaves alone %s', (_what, thrown) => expect(isDatabaseUnavailable(thrown)).toBe(false));
});
