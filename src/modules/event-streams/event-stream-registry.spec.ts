import { Registry } from 'prom-client';
import { loadConfig } from '../../core/config';
import { EventStreamRegistry } from './event-stream-registry';
import { createCaller, createStream } from './testing/stream-fixture';

const config = loadConfig({ NODE_ENV: 'test', PUBLIC_URL: 'http://localhost:3000' });

describe('the registry of event streams', () => {
  let streams: EventStreamRegistry;
  beforeEach(() => (streams = new EventStreamRegistry(config, new Registry())));

  const add = (accountId: string, credentialId: string) => {
    const created = createStream({ accountId, credentialId, caller: createCaller({ accountId }) });
    streams.addStream(created.stream);
    return created;
  };
  const refusal = expect.objectContaining({
    code: 'too_many_streams',
    extras: { headers: { 'Retry-After': '5' } },
  }) as Error;
  const expectRefusal = (accountId: string, credentialId: string) => {
    expect(() => streams.requireCapacity(accountId, credentialId)).toThrow(refusal);
    expect(() => add(accountId, credentialId)).toThrow(refusal);
  };

  it('holds 10 streams of a token, and another one when one of them has closed', () => {
    const [first] = Array.from({ length: 10 }, () => add('acc_1', 'tok_1'));
    expectRefusal('acc_1', 'tok_1');
    streams.requireCapacity('acc_1', 'tok_2');
    first!.stream.disconnect();
    add('acc_1', 'tok_1');
    expectRefusal('acc_1', 'tok_1');
  });

  it('holds 50 streams of an account', () => {
    for (let n = 0; n < 50; n++) add('acc_1', `tok_${n % 5}`);
    expectRefusal('acc_1', 'tok_9');
    streams.requireCapacity('acc_2', 'tok_9');
  });

  it('holds 2,000 streams in all', () => {
    for (let n = 0; n < 2_000; n++) add(`acc_${n % 200}`, 'tok_1');
    expectRefusal('acc_new', 'tok_1');
    expect(streams.size).toBe(2_000);
  });

  it('forgets a stream that has ended', () => {
    const { stream } = add('acc_1', 'tok_1');
    expect([...streams.listStreams()]).toEqual([stream]);
    expect([...streams.listAccountEventStreams('acc_1')]).toEqual([stream]);
    expect([...streams.listAccountEventStreams('acc_2')]).toEqual([]);
    stream.end(null);
    expect([...streams.listStreams()]).toEqual([]);
    expect(streams.size).toBe(0);
  });
});
