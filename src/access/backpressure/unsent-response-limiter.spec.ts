import { EventEmitter } from 'node:events';
import type { Response } from 'express';
import { Registry } from 'prom-client';
import type { ApiError } from '../../common/errors';
import type { Config } from '../../core/config';
import { computeLimits, UnsentResponseLimiter } from './unsent-response-limiter';

const MIB = 1_048_576;

/** The state of a response that the limiter reads, and the events that it awaits. */
class TestResponse extends EventEmitter {
  destroyed = false;
  writableEnded = false;
  writableLength = 0;

  /** Ends the response, with these bytes still in its buffer. */
  end(unsentBytes: number): void {
    this.writableEnded = true;
    this.writableLength = unsentBytes;
    this.emit('prefinish');
  }

  close(): void {
    this.destroyed = true;
    this.emit('close');
  }
}

/** The limits of the tests are those of a heap of 4 GiB. */
jest.mock('node:v8', () => ({
  ...jest.requireActual<object>('node:v8'),
  getHeapStatistics: () => ({ heap_size_limit: 4_096 * 1_048_576 }),
}));

describe('computeLimits', () => {
  it('allows an eighth of a small heap, but at least the largest response', () => {
    expect(computeLimits(4_096 * MIB)).toEqual({ perOwner: 64 * MIB, perInstance: 512 * MIB, hard: 1_024 * MIB });
    expect(computeLimits(304 * MIB)).toEqual({ perOwner: 38 * MIB, perInstance: 38 * MIB, hard: 76 * MIB });
    expect(computeLimits(112 * MIB)).toEqual({ perOwner: 16 * MIB, perInstance: 16 * MIB, hard: 32 * MIB });
  });
});

describe('UnsentResponseLimiter', () => {
  let registry: Registry;
  let limiter: UnsentResponseLimiter;

  beforeEach(() => {
    registry = new Registry();
    limiter = new UnsentResponseLimiter({ responseStallSeconds: 60 } as Config, registry);
  });

  function admit(owner: string, reservedBytes: number, response = new TestResponse()): TestResponse {
    limiter.admitResponse(owner, response as unknown as Response, reservedBytes);
    return response;
  }

  function findRefusal(owner: string, reservedBytes: number): ApiError | null {
    try {
      admit(owner, reservedBytes);
      return null;
    } catch (error) {
      return error as ApiError;
    }
  }

  const readMetric = async (name: string) => (await registry.getSingleMetric(name)!.get()).values[0]?.value;

  it('admits an owner up to 64 MiB, and refuses one byte more', async () => {
    admit('acc_1', 60 * MIB);
    admit('acc_1', 4 * MIB);
    expect(findRefusal('acc_1', 1)).toMatchObject({
      code: 'service_unavailable',
      extras: { members: { outcome: 'not_delivered' }, headers: { 'Retry-After': '1' } },
    });
    expect(await readMetric('http_unsent_refused_total')).toBe(1);
    expect(await readMetric('http_unsent_bytes')).toBe(64 * MIB);
  });

  it('refuses no response without content to an owner at the limit', () => {
    admit('acc_1', 64 * MIB);
    expect(findRefusal('acc_1', 0)).toBeNull();
  });

  it('counts each owner alone', () => {
    admit('acc_1', 64 * MIB);
    expect(findRefusal('acc_2', 64 * MIB)).toBeNull();
  });

  it('replaces the reservation by the unsent bytes once the response is written', () => {
    const response = admit('acc_1', 64 * MIB);
    response.end(10 * MIB);
    expect(findRefusal('acc_1', 54 * MIB + 1)).not.toBeNull();
    expect(findRefusal('acc_1', 54 * MIB)).toBeNull();
  });

  it('counts a response that exceeds its reservation', () => {
    admit('acc_1', 0).end(64 * MIB);
    expect(findRefusal('acc_1', 1)).not.toBeNull();
  });

  it('counts nothing for a response that has closed, before or after it was written', async () => {
    admit('acc_1', 64 * MIB).close();
    const written = admit('acc_1', 64 * MIB);
    written.end(64 * MIB);
    written.close();
    expect(findRefusal('acc_1', 64 * MIB)).toBeNull();
    expect(await readMetric('http_unsent_bytes')).toBe(64 * MIB);
  });

  it('does not count a response whose client has already disconnected', async () => {
    const response = new TestResponse();
    response.destroyed = true;
    admit('acc_1', 64 * MIB, response);
    expect(await readMetric('http_unsent_bytes')).toBe(0);
  });

  describe('when the instance is at its limit of 512 MiB', () => {
    let largest: TestResponse;

    beforeEach(() => {
      for (let n = 1; n <= 7; n++) largest = admit(`acc_${n}`, 64 * MIB);
      admit('within its share', MIB);
      admit('above its share', MIB + 1);
      admit('acc_8', 62 * MIB - 1);
    });

    it('refuses owners above their fair share of 1 MiB only', () => {
      expect(findRefusal('above its share', 1)).not.toBeNull();
      expect(findRefusal('within its share', 1)).toBeNull();
      expect(findRefusal('a new owner', 64 * MIB)).toBeNull();
    });

    it('refuses responses with content to every owner at 1 GiB', () => {
      for (let n = 1; n <= 8; n++) admit(`other_${n}`, 64 * MIB);
      expect(findRefusal('a new owner', MIB)).not.toBeNull();
      expect(findRefusal('a new owner', 0)).toBeNull();
    });

    it('admits every owner again after a response has closed', () => {
      expect(findRefusal('above its share', MIB)).not.toBeNull();
      largest.close();
      expect(findRefusal('above its share', MIB)).toBeNull();
    });
  });
});
