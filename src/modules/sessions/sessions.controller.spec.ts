import { Test } from '@nestjs/testing';
import { getRoutePolicy, type TokenPrincipal } from '../../access/auth';
import type { ListSessionsQueryDto } from './sessions.dto';
import { SessionsController } from './sessions.controller';
import { SessionsService } from './sessions.service';

const TOKEN = { kind: 'token', accountId: 'acc_1', scopes: ['sessions:read'] } as unknown as TokenPrincipal;

describe('SessionsController', () => {
  const sessions = { listSessions: jest.fn(), getSession: jest.fn() };
  let controller: SessionsController;

  beforeEach(async () => {
    jest.resetAllMocks();
    const module = await Test.createTestingModule({
      controllers: [SessionsController],
      providers: [{ provide: SessionsService, useValue: sessions }],
    }).compile();
    controller = module.get(SessionsController);
  });

  it('lists the sessions of the caller with its filters', async () => {
    const page = { data: [], nextCursor: null };
    sessions.listSessions.mockResolvedValue(page);
    const query = { state: 'active' } as ListSessionsQueryDto;
    await expect(controller.listSessions(TOKEN, query)).resolves.toBe(page);
    expect(sessions.listSessions).toHaveBeenCalledWith(TOKEN, query);
  });

  it('returns one session in the envelope of the API', async () => {
    sessions.getSession.mockResolvedValue({ id: 'ses_1' });
    await expect(controller.getSession(TOKEN, 'ses_1')).resolves.toEqual({ data: { id: 'ses_1' } });
    expect(sessions.getSession).toHaveBeenCalledWith(TOKEN, 'ses_1');
  });

  it.each(['listSessions', 'getSession'])('requires sessions:read for %s', (name) => {
    const handlers = SessionsController.prototype as unknown as Record<string, { name: string }>;
    expect(getRoutePolicy({ controller: SessionsController, handler: handlers[name]! })).toEqual({
      kind: 'token',
      scopes: ['sessions:read'],
    });
  });
});
