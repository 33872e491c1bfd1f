import type { Dispatcher } from 'undici';
import { ExchangeTimeoutError, sendPostRequest } from './post-request';

const TIMEOUT_MS = 20_000;

describe('a POST that waits for a connection', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  let handler: Dispatcher.DispatchHandler;
  const dispatcher = {
    dispatch: (_: unknown, given: Dispatcher.DispatchHandler) => {
      handler = given;
      return true;
    },
  } as Dispatcher;
  const abort = jest.fn();
  const controller = { abort } as unknown as Dispatcher.DispatchController;
  const send = () => {
    const request = { url: 'https://receiver.example/', headers: {}, body: '{}', timeoutMs: TIMEOUT_MS };
    const result = sendPostRequest(dispatcher, request).catch((error: Error) => error);
    return { result };
  };

  it('is not sent after its time is up, because it counts as failed then', async () => {
    const { result } = send();
    jest.advanceTimersByTime(TIMEOUT_MS);
    expect(await result).toBeInstanceOf(ExchangeTimeoutError);
    handler.onRequestStart!(controller, undefined);
    expect(abort).toHaveBeenCalledWith(expect.any(ExchangeTimeoutError));
  });

  it('is sent within its time', async () => {
    abort.mockClear();
    const { result } = send();
    jest.advanceTimersByTime(TIMEOUT_MS - 1);
    handler.onRequestStart!(controller, undefined);
    handler.onResponseStart!(controller, 204, {}, '');
    handler.onResponseEnd!(controller, {});
    expect(await result).toMatchObject({ status: 204 });
    expect(abort).not.toHaveBeenCalled();
  });
});
