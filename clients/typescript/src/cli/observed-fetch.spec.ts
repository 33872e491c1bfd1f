import { createObservedFetch } from './observed-fetch.ts';
import type { Terminal } from './output/terminal.ts';

const SECOND = 1_000;

describe('a call while no device is online', () => {
  const statuses: string[] = [];
  const terminal = { isJson: false, showStatus: (text: string) => statuses.push(text) } as unknown as Terminal;

  beforeEach(() => {
    statuses.length = 0;
    jest.useFakeTimers();
    const init = { status: 503, headers: { 'retry-after': '30' } };
    jest
      .spyOn(globalThis, 'fetch')
      .mockImplementation(() => Promise.resolve(new Response('{"code":"no_online_device"}', init)));
  });
  afterEach(() => {
    jest.useRealTimers();
    jest.restoreAllMocks();
  });

  /** Returns the seconds after which each of these attempts may be repeated. */
  async function listDelays(waitsForDevices: boolean, ...times: number[]): Promise<number[]> {
    const observed = createObservedFetch(terminal, { offsetMs: 0 }, { isVerbose: false, waitsForDevices });
    const start = performance.now();
    const delays: number[] = [];
    for (const time of times) {
      jest.advanceTimersByTime(start + time - performance.now());
      delays.push(Number((await observed('http://service.test/x')).headers.get('retry-after')));
    }
    return delays;
  }

  it('is repeated for five seconds, in which a device that connects again is back', async () => {
    expect(await listDelays(false, 0, 2 * SECOND, 4 * SECOND)).toEqual([2, 2, 86_400]);
    expect(statuses).toEqual(Array(2).fill('No device is online. Trying again ...'));
  });

  it('is repeated for five seconds again after a device was online', async () => {
    const observed = createObservedFetch(terminal, { offsetMs: 0 }, { isVerbose: false, waitsForDevices: false });
    const call = async () => (await observed('http://service.test/x')).headers.get('retry-after');
    expect(await call()).toBe('2');
    jest.mocked(globalThis.fetch).mockResolvedValueOnce(new Response('{}'));
    expect(await call()).toBeNull();
    jest.advanceTimersByTime(60 * SECOND);
    expect(await call()).toBe('2');
  });

  it('is repeated as the service says if the user named a time', async () => {
    expect(await listDelays(true, 0, 30 * SECOND)).toEqual([30, 30]);
    expect(statuses).toEqual(Array(2).fill('No device is online. Waiting 30 s ...'));
  });
});
