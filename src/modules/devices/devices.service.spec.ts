import { Test } from '@nestjs/testing';
import { AuditRecorder } from '../../access/audit';
import { TokenCache } from '../../access/auth';
import { Clock } from '../../common/clock';
import { UnitOfWork } from '../../core/database';
import { AccountExporter, AccountRevocationRegistry, AccountsService } from '../accounts';
import { DevicesRepository } from './devices.repository';
import { DevicesService } from './devices.service';

const NOW = new Date('2026-01-01T00:00:00Z');

describe('DevicesService', () => {
  const devices = {
    find: jest.fn(),
    countActiveAccountDevices: jest.fn(),
    revokeDevice: jest.fn(),
    scanDevices: jest.fn(),
    recordAllRevocations: jest.fn(),
    revokeAllDevices: jest.fn(),
  };
  const accounts = { lockAccount: jest.fn() };
  const tokenCache = { invalidateAccount: jest.fn() };
  const auditRecorder = { recordActs: jest.fn() };
  let commit: () => void;
  let service: DevicesService;
  let accountExporter: AccountExporter;
  let accountRevocations: AccountRevocationRegistry;

  beforeEach(async () => {
    jest.resetAllMocks();
    const callbacks: (() => void)[] = [];
    commit = () => callbacks.forEach((callback) => callback());
    const module = await Test.createTestingModule({
      providers: [
        DevicesService,
        AccountExporter,
        AccountRevocationRegistry,
        { provide: AccountsService, useValue: accounts },
        { provide: Clock, useValue: { currentDate: () => NOW } },
        { provide: DevicesRepository, useValue: devices },
        { provide: TokenCache, useValue: tokenCache },
        { provide: AuditRecorder, useValue: auditRecorder },
        {
          provide: UnitOfWork,
          useValue: {
            runInTransaction: (work: () => Promise<void>) => work(),
            afterCommit: (callback: () => void) => callbacks.push(callback),
          },
        },
      ],
    }).compile();
    await module.init();
    service = module.get(DevicesService);
    accountExporter = module.get(AccountExporter);
    accountRevocations = module.get(AccountRevocationRegistry);
  });

  it('revokes a device, and invalidates its tokens once that is committed', async () => {
    devices.find.mockResolvedValue({ kind: 'account', revokedAt: null });
    devices.countActiveAccountDevices.mockResolvedValue(2);
    await service.revokeDevice('acc_1', 'dev_1');
    expect(devices.revokeDevice).toHaveBeenCalledWith('acc_1', 'dev_1', NOW);
    expect(tokenCache.invalidateAccount).not.toHaveBeenCalled();
    commit();
    expect(tokenCache.invalidateAccount).toHaveBeenCalledWith('acc_1');
  });

  it('locks the account before it counts its devices', async () => {
    devices.find.mockResolvedValue({ kind: 'account', revokedAt: null });
    devices.countActiveAccountDevices.mockImplementation(() => {
      expect(accounts.lockAccount).toHaveBeenCalledWith('acc_1');
      return Promise.resolve(2);
    });
    await service.revokeDevice('acc_1', 'dev_1');
    expect.assertions(1);
  });

  it('refuses to revoke the last account device', async () => {
    devices.find.mockResolvedValue({ kind: 'account', revokedAt: null });
    devices.countActiveAccountDevices.mockResolvedValue(1);
    await expect(service.revokeDevice('acc_1', 'dev_1')).rejects.toMatchObject({ code: 'conflict' });
    expect(devices.revokeDevice).not.toHaveBeenCalled();
  });

  it('does not change an earlier revocation', async () => {
    devices.find.mockResolvedValue({ kind: 'machine', revokedAt: NOW });
    await service.revokeDevice('acc_1', 'dev_1');
    expect(devices.revokeDevice).not.toHaveBeenCalled();
  });

  it('throws not_found for a device of another account', async () => {
    devices.find.mockResolvedValue(null);
    await expect(service.revokeDevice('acc_1', 'dev_1')).rejects.toMatchObject({ code: 'not_found' });
  });

  it('ends the devices of a deleted account', async () => {
    await accountRevocations.runMarkingSteps('acc_1', NOW);
    expect(devices.recordAllRevocations).toHaveBeenCalledWith('acc_1', NOW);
    expect(devices.revokeAllDevices).not.toHaveBeenCalled();
    await accountRevocations.runRevocationSteps('acc_1');
    expect(devices.revokeAllDevices).toHaveBeenCalledWith('acc_1');
  });

  it('registers its section of the export when the module starts', async () => {
    devices.scanDevices.mockReturnValue([]);
    const chunks: string[] = [];
    for await (const chunk of accountExporter.streamJson('acc_1', {})) chunks.push(chunk);
    expect(JSON.parse(chunks.join(''))).toEqual({ data: { account: {}, devices: [] } });
    expect(devices.scanDevices).toHaveBeenCalledWith('acc_1');
  });
});
