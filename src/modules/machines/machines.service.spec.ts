import type { AccountExporter } from '../accounts';
import type { Clock } from '../../common/clock';
import type { EventPublisher } from '../../core/events';
import type { UnitOfWork } from '../../core/database';
import type { MachinesRepository } from './machines.repository';
import { MachinesService } from './machines.service';

describe('the cached device of a machine', () => {
  /** Accounts and ids of the queries. */
  let queries: string[];
  let devices: Map<string, string>;
  let service: MachinesService;

  beforeEach(() => {
    queries = [];
    devices = new Map([['acc_1/mch_1', 'dev_1']]);
    const find = (accountId: string, id: string) => {
      queries.push(`${accountId}/${id}`);
      const deviceId = devices.get(`${accountId}/${id}`);
      return Promise.resolve(deviceId === undefined ? undefined : { device_id: deviceId });
    };
    service = new MachinesService(
      {} as UnitOfWork,
      { find } as unknown as MachinesRepository,
      {} as EventPublisher,
      {} as Clock,
      {} as AccountExporter,
    );
  });

  it('is queried once', async () => {
    expect(await service.getDeviceId('acc_1', 'mch_1')).toBe('dev_1');
    expect(await service.getDeviceId('acc_1', 'mch_1')).toBe('dev_1');
    expect(queries).toEqual(['acc_1/mch_1']);
  });

  it('is not found by another account', async () => {
    await service.getDeviceId('acc_1', 'mch_1');
    await expect(service.getDeviceId('acc_2', 'mch_1')).rejects.toMatchObject({ code: 'not_found' });
  });

  it('is found as soon as the machine is registered', async () => {
    await expect(service.getDeviceId('acc_1', 'mch_2')).rejects.toMatchObject({ code: 'not_found' });
    devices.set('acc_1/mch_2', 'dev_2');
    expect(await service.getDeviceId('acc_1', 'mch_2')).toBe('dev_2');
  });

  it('is kept for 10,000 machines, and then queried again', async () => {
    for (let n = 2; n <= 10_001; n++) devices.set(`acc_1/mch_${n}`, `dev_${n}`);
    for (let n = 1; n <= 10_000; n++) await service.getDeviceId('acc_1', `mch_${n}`);
    queries = [];
    expect(await service.getDeviceId('acc_1', 'mch_1')).toBe('dev_1');
    expect(queries).toEqual([]);
    await service.getDeviceId('acc_1', 'mch_10001');
    expect(await service.getDeviceId('acc_1', 'mch_1')).toBe('dev_1');
    expect(await service.getDeviceId('acc_1', 'mch_10001')).toBe('dev_10001');
    expect(queries).toEqual(['acc_1/mch_10001', 'acc_1/mch_1']);
  });
});
