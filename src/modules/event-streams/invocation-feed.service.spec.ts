import type { Response } from 'express';
import { Registry } from 'prom-client';
import { Subject } from 'rxjs';
import { Clock } from '../../common/clock';
import type { ChangeSignals } from '../../core/redis';
import type { InvocationRow, InvocationsService } from '../invocations';
import type { LiveOutputService } from '../relay';
import { InvocationFeedService } from './invocation-feed.service';
import { InvocationStream } from './invocation-stream';
import { LiveEventMetrics } from './live-event-metrics';
import { createCaller, FakeResponse } from './testing/stream-fixture';

const settle = () => jest.advanceTimersByTimeAsync(10);

describe('the feed of invocation streams', () => {
  let row: InvocationRow;
  let isDeleted: boolean;
  let sendOutput: ((data: string) => void) | null;
  let keys: Subject<string>;
  let feed: InvocationFeedService;

  beforeEach(() => {
    jest.useFakeTimers();
    [isDeleted, sendOutput, keys] = [false, null, new Subject()];
    row = {
      ...{ id: 'inv_1', account_id: 'acc_1', machine_id: 'mch_1', device_id: 'dev_1', state: 'running', version: 1 },
      ...{ created_at: new Date(0), updated_at: new Date(0), started_at: null, ended_at: null },
    } as unknown as InvocationRow;
    const invocations = {
      findStates: (ids: string[]) => Promise.resolve(new Map(isDeleted ? [] : ids.map((id) => [id, row.state]))),
      requireInvocation: () => Promise.resolve(row),
    } as unknown as InvocationsService;
    const liveOutput = {
      watchInvocation: (_account: string, _topic: object, onOutput: (data: string) => void) => {
        sendOutput = onOutput;
        return () => (sendOutput = null);
      },
    } as unknown as LiveOutputService;
    const signals = { changedKeys: keys } as unknown as ChangeSignals;
    const metrics = new LiveEventMetrics(new Registry());
    feed = new InvocationFeedService(invocations, liveOutput, signals, metrics, new Clock());
    feed.onApplicationBootstrap();
  });
  afterEach(async () => {
    jest.useRealTimers();
    await feed.onApplicationShutdown();
  });

  const open = async () => {
    const response = new FakeResponse();
    const caller = createCaller();
    const options = { accountId: 'acc_1', caller, credentialId: 'tok_1', token: 'svc_pat_1', openedAt: 0 };
    const stream = new InvocationStream(response as unknown as Response, 'mch_1', 'inv_1', options);
    feed.addStream(stream, row);
    await settle();
    return response;
  };
  const listTypes = ({ text }: FakeResponse) => [...text.matchAll(/^event: (.*)$/gm)].map(([, type]) => type);
  const end = async (state: string) => {
    row = { ...row, state } as InvocationRow;
    keys.next('inv_1');
    await settle();
  };

  it('sends the invocation, and output while the stream is open', async () => {
    const response = await open();
    sendOutput!('{"offset":0}');
    expect(listTypes(response)).toEqual(['stream.opened', 'output']);
    expect(response.text).toContain('event: output\ndata: {"offset":0}\n\n');
    expect(response.text).not.toContain('id: ');
    response.destroy();
    expect(sendOutput).toBeNull();
  });

  it('ends a stream a second after the end of its invocation, with the output that arrives until then', async () => {
    const response = await open();
    await end('completed');
    await jest.advanceTimersByTimeAsync(900);
    sendOutput!('{"offset":0}');
    expect(response.writableEnded).toBe(false);
    await jest.advanceTimersByTimeAsync(200);
    expect(listTypes(response)).toEqual(['stream.opened', 'output', 'invocation.ended']);
    expect(response.writableEnded).toBe(true);
    expect(response.text).not.toContain('retry');
  });

  it('ends the stream of an invocation that has ended at once', async () => {
    row = { ...row, state: 'failed' };
    const response = await open();
    expect(listTypes(response)).toEqual(['stream.opened', 'invocation.ended']);
    expect(response.writableEnded).toBe(true);
  });

  it('goes on with a lost invocation that runs again within the second', async () => {
    const response = await open();
    await end('lost');
    await end('running');
    await jest.advanceTimersByTimeAsync(5_000);
    expect(response.writableEnded).toBe(false);
    await end('completed');
    await jest.advanceTimersByTimeAsync(900);
    expect(response.writableEnded).toBe(false);
    await jest.advanceTimersByTimeAsync(200);
    expect(response.writableEnded).toBe(true);
  });

  it('notices an end within three seconds without a signal', async () => {
    const response = await open();
    row = { ...row, state: 'completed' };
    await jest.advanceTimersByTimeAsync(3_100);
    expect(response.writableEnded).toBe(true);
  });

  it('ends the stream of an invocation whose record was deleted', async () => {
    const response = await open();
    isDeleted = true;
    keys.next('inv_1');
    await settle();
    expect(response.writableEnded).toBe(true);
    expect(listTypes(response)).toEqual(['stream.opened']);
  });
});
