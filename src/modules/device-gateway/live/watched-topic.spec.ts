import type { LiveTopic } from '../../relay-bus';
import { WatchedTopic } from './watched-topic';

const KIBIBYTE = 1_024;
const MEBIBYTE = 1_024 * KIBIBYTE;

describe('WatchedTopic', () => {
  const createTopic = (type: LiveTopic['type']) => new WatchedTopic({ type, id: 'any' }, 0, 0);

  /** Returns how many messages of a second are admitted in each way. */
  function countAdmissions(topic: WatchedTopic, second: number, count: number, bytes: number) {
    const counts = { forwarded: 0, dropped: 0, excess: 0 };
    for (let n = 0; n < count; n++) {
      counts[topic.admitMessage(bytes, Math.ceil(bytes * 1.34), (second + n / count) * 1_000)] += 1;
    }
    return counts;
  }

  it('forwards output of 1 MiB per second for as long as it lasts', () => {
    const topic = createTopic('output');
    for (let second = 0; second < 60; second++) {
      expect(countAdmissions(topic, second, 16, 64 * KIBIBYTE)).toEqual({ forwarded: 16, dropped: 0, excess: 0 });
    }
  });

  it('forwards two seconds of output at once', () => {
    const topic = createTopic('output');
    const admissions = Array.from({ length: 33 }, () => topic.admitMessage(64 * KIBIBYTE, 88 * KIBIBYTE, 0));
    expect(admissions.filter((admission) => admission === 'forwarded')).toHaveLength(32);
    expect(admissions.at(-1)).toBe('dropped');
  });

  it('drops output above the rate, and only several times the rate is in excess', () => {
    const topic = createTopic('output');
    for (let second = 0; second < 10; second++) countAdmissions(topic, second, 48, 64 * KIBIBYTE);
    expect(countAdmissions(topic, 10, 48, 64 * KIBIBYTE)).toEqual({ forwarded: 16, dropped: 32, excess: 0 });
    for (let second = 11; second < 20; second++) countAdmissions(topic, second, 160, 64 * KIBIBYTE);
    const { forwarded, excess } = countAdmissions(topic, 20, 160, 64 * KIBIBYTE);
    expect(forwarded).toBeLessThanOrEqual(16);
    expect(excess).toBeGreaterThan(80);
  });

  it('counts a small message as 16 KiB', () => {
    const topic = createTopic('output');
    const forwarded = Array.from({ length: 512 }, () => topic.admitMessage(1, 150, 0));
    expect(forwarded.filter((admission) => admission === 'forwarded')).toHaveLength((2 * MEBIBYTE) / (16 * KIBIBYTE));
    expect(forwarded.at(-1)).toBe('dropped');
  });

  it('forwards five deltas per second', () => {
    const topic = createTopic('delta');
    for (let second = 0; second < 10; second++) {
      expect(countAdmissions(topic, second, 5, 7_000)).toEqual({ forwarded: 5, dropped: 0, excess: 0 });
    }
    for (let second = 10; second < 20; second++) countAdmissions(topic, second, 10, 7_000);
    expect(countAdmissions(topic, 20, 10, 7_000)).toEqual({ forwarded: 5, dropped: 5, excess: 0 });
  });
});
