import { Test } from '@nestjs/testing';
import { Clock, DAY, HOUR } from '../../common/clock';
import type { GetUsageQueryDto } from './usage.dto';
import { UsageRecorder } from './usage-recorder';
import { UsageRepository } from './usage.repository';
import { UsageService } from './usage.service';

const NOW = Date.parse('2026-01-31T12:30:00Z');

describe('UsageService', () => {
  let steps: unknown[];
  let service: UsageService;

  beforeEach(async () => {
    steps = [];
    const findPage = (_accountId: string, query: GetUsageQueryDto) => {
      steps.push(query);
      return Promise.resolve({ data: [], nextCursor: null });
    };
    const module = await Test.createTestingModule({
      providers: [
        UsageService,
        { provide: UsageRepository, useValue: { findPage } },
        { provide: UsageRecorder, useValue: { flushCounts: () => Promise.resolve(steps.push('flush')) } },
        { provide: Clock, useValue: { now: () => NOW } },
      ],
    }).compile();
    service = module.get(UsageService);
  });

  it.each<{ name: string; query: GetUsageQueryDto; expected: GetUsageQueryDto }>([
    {
      name: 'the last 30 days with the current hour, by day',
      query: {},
      expected: { granularity: 'day', from: NOW + HOUR - 30 * DAY, to: NOW + HOUR },
    },
    {
      name: 'the 30 days before a given end',
      query: { to: 31 * DAY },
      expected: { granularity: 'day', from: DAY, to: 31 * DAY },
    },
    {
      name: 'everything since a given start',
      query: { from: 5, granularity: 'hour' },
      expected: { granularity: 'hour', from: 5, to: NOW + HOUR },
    },
    {
      name: 'a period of a millisecond',
      query: { from: 5, to: 6 },
      expected: { granularity: 'day', from: 5, to: 6 },
    },
  ])('writes pending counts, then reads $name', async ({ query, expected }) => {
    await service.listUsage('acc_1', query);
    expect(steps).toEqual(['flush', expected]);
  });

  it.each([
    { name: 'is empty', query: { from: 5, to: 5 } },
    { name: 'ends before it begins', query: { from: 6, to: 5 } },
    { name: 'begins after the current hour', query: { from: NOW + HOUR } },
  ])('rejects a period that $name', async ({ query }) => {
    await expect(service.listUsage('acc_1', query)).rejects.toMatchObject({
      code: 'invalid_request',
      extras: { members: { errors: [{ path: '/to', code: 'out_of_range' }] } },
    });
    expect(steps).toEqual(['flush']);
  });

  it('leaves the query of a cursor as it is, since the cursor contains the period', async () => {
    await service.listUsage('acc_1', { cursor: 'c' });
    expect(steps).toEqual(['flush', { cursor: 'c' }]);
  });
});
