import { Test } from '@nestjs/testing';
import { KeysetPageReader, UnitOfWork, type KeysetListDefinition } from '../../core/database';
import type { SessionRow } from './session.response.dto';
import { SessionsRepository } from './sessions.repository';

const ID = 'ses_01m7xsah51f6ctt8c84t8wbh7e';

describe('SessionsRepository', () => {
  const unitOfWork = { queryRows: jest.fn() };
  const pager = { readPage: jest.fn() };
  let repository: SessionsRepository;

  beforeEach(async () => {
    jest.resetAllMocks();
    const module = await Test.createTestingModule({
      providers: [
        SessionsRepository,
        { provide: UnitOfWork, useValue: unitOfWork },
        { provide: KeysetPageReader, useValue: pager },
      ],
    }).compile();
    repository = module.get(SessionsRepository);
  });

  it('finds a session within its account', async () => {
    unitOfWork.queryRows.mockResolvedValue([{ id: ID }]);
    await expect(repository.find('acc_1', ID)).resolves.toEqual({ id: ID });
    expect(unitOfWork.queryRows).toHaveBeenCalledWith(expect.stringContaining('account_id = $1 AND id = $2'), [
      'acc_1',
      ID,
    ]);
  });

  it.each(['', 'nonsense', ID.replace('ses_', 'msg_')])(
    'does not query the database for the malformed id %j',
    async (id) => {
      await expect(repository.find('acc_1', id)).resolves.toBeUndefined();
      await expect(repository.lockSession('acc_1', id)).resolves.toBeUndefined();
      expect(unitOfWork.queryRows).not.toHaveBeenCalled();
    },
  );

  it('lists only the sessions of a host, under cursors of its own', async () => {
    await repository.findPageWithContent('acc_1', 'dev_1', { state: 'active' });
    const [[list, query]] = pager.readPage.mock.calls as [[KeysetListDefinition<SessionRow>, object]];
    const bound: unknown[] = [];
    const conditions = list.where({}, (value) => `$${bound.push(value)}`);
    expect(list.ownerId).toBe('dev_1');
    expect(query).toEqual({ state: 'active' });
    expect(conditions).toEqual(['s.account_id = $1', 's.host_device_id = $2']);
    expect(bound).toEqual(['acc_1', 'dev_1']);
  });
});
