import { createRecordedClient } from '../../typescript/src/testing/recorded-client.ts';
import { runCommand } from './work.ts';

const MACHINE = 'mch_00000000000000000000000000';
const INVOCATIONS = `/machines/${MACHINE}/invocations`;

describe('a command that the action has started', () => {
  let log: string;
  let write: jest.SpyInstance;

  beforeEach(() => {
    log = '';
    write = jest.spyOn(process.stdout, 'write').mockImplementation((text) => {
      log += String(text);
      return true;
    });
  });
  afterEach(() => write.mockRestore());

  /** Fails as a call that reaches no service, of which nothing ran. */
  const failToConnect = () => {
    throw new TypeError('fetch failed', { cause: Object.assign(new Error('no name'), { code: 'ERR_PROXY_REFUSED' }) });
  };
  function run(record: object | (() => object), output: object | (() => object) = failToConnect) {
    const { client } = createRecordedClient({
      [`POST ${INVOCATIONS}`]: { data: { id: 'inv_1' } },
      [`GET ${INVOCATIONS}/inv_1`]: record,
      [`GET ${INVOCATIONS}/inv_1/output`]: output,
    });
    const work = { machine: MACHINE, command: ['make'] as [string], timeoutMs: 60_000 };
    return runCommand(client, work, new AbortController().signal);
  }

  it.each([
    ['lost', null, false],
    ['completed', 3, false],
    ['completed', 0, true],
  ])('keeps the state %s and the exit code %s if its output cannot be read', async (state, exitCode, isSuccess) => {
    const result = await run({ data: { state, exitCode, version: 1 } });
    expect(result).toMatchObject({ status: state, exitCode, isSuccess, output: Buffer.alloc(0) });
    for (const stream of ['stdout', 'stderr'])
      expect(log).toContain(`::warning::The output in ${stream} is incomplete. connection_failed: `);
  });

  it('returns the part of its output that it could read', async () => {
    let pages = 0;
    const readPage = () =>
      pages++ === 0 ? { result: { data: 'YQ==', offset: 0, nextOffset: 1, totalBytes: 2 } } : failToConnect();
    const result = await run({ data: { state: 'completed', exitCode: 0, version: 1 } }, readPage);
    expect(result).toMatchObject({ status: 'completed', isSuccess: true, output: Buffer.from('a') });
  });

  it('has the status error if its end cannot be read, because it has been delivered', async () => {
    expect(await run(failToConnect)).toMatchObject({ status: 'error', isSuccess: false, exitCode: null });
    expect(log).toContain('::error::The command inv_1 may go on. connection_failed: ');
  });
});
