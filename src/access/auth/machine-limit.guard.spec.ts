import type { ExecutionContext } from '@nestjs/common';
import { ExecutionContextHost } from '@nestjs/core/helpers/execution-context-host';
import { Test } from '@nestjs/testing';
import { MachineLimitGuard, SessionMachineReader } from './machine-limit.guard';
import { ControlController, RequirePatScopes, RequireScopes } from './route-policy';

class Handlers {
  @RequireScopes('machines:invoke')
  invoke(this: void) {}

  @RequirePatScopes('sessions:approve', 'sessions:content')
  decide(this: void) {}

  @RequireScopes('sessions:read')
  read(this: void) {}
}

@ControlController('')
class ControlHandlers extends Handlers {}

const MACHINE_PATH = '/external/v1/machines/:id/invoke';
const SESSION_PATH = '/external/v1/sessions/:id/decision';

describe('MachineLimitGuard', () => {
  const machinesBySession = new Map<string, string | null>([
    ['ses_of_1', 'mch_1'],
    ['ses_of_2', 'mch_2'],
    ['ses_of_none', null],
  ]);
  const findMachineId = jest.fn((_: string, id: string) => Promise.resolve(machinesBySession.get(id)));
  let guard: MachineLimitGuard;

  beforeAll(async () => {
    const reader = { provide: SessionMachineReader, useValue: { findMachineId } };
    guard = (await Test.createTestingModule({ providers: [MachineLimitGuard, reader] }).compile()).get(
      MachineLimitGuard,
    );
  });
  beforeEach(() => findMachineId.mockClear());

  const check = async (
    handler: keyof Handlers,
    path: string,
    id: string,
    machineIds: string[] | null = ['mch_1'],
    controller: typeof Handlers = Handlers,
  ) => {
    const principal =
      controller === Handlers
        ? { kind: 'token', accountId: 'acc_1', machineIds }
        : { kind: 'device', accountId: 'acc_1' };
    const request = { principal, route: { path }, params: { id } };
    const context: ExecutionContext = new ExecutionContextHost([request], controller, Handlers.prototype[handler]);
    return guard.canActivate(context).catch(({ code }: { code: string }) => code);
  };

  it('admits a limited token to its machines, and to no other', async () => {
    expect(await check('invoke', MACHINE_PATH, 'mch_1')).toBe(true);
    expect(await check('invoke', MACHINE_PATH, 'mch_2', ['mch_1', 'mch_2'])).toBe(true);
    for (const id of ['mch_2', 'MCH_1', '', 'unknown'])
      expect(await check('invoke', MACHINE_PATH, id)).toBe('machine_not_allowed');
    expect(findMachineId).not.toHaveBeenCalled();
  });

  it('admits it to sessions of its machines, and to no other', async () => {
    expect(await check('decide', SESSION_PATH, 'ses_of_1')).toBe(true);
    expect(await check('decide', SESSION_PATH, 'ses_of_2')).toBe('machine_not_allowed');
    expect(await check('decide', SESSION_PATH, 'ses_of_none')).toBe('machine_not_allowed');
    expect(await check('decide', SESSION_PATH, 'ses_unknown')).toBe('not_found');
    expect(findMachineId).toHaveBeenCalledWith('acc_1', 'ses_of_1');
  });

  it('refuses a token without a machine, and a route that names none', async () => {
    expect(await check('invoke', MACHINE_PATH, 'mch_1', [])).toBe('machine_not_allowed');
    for (const path of [
      '/external/v1/machines',
      '/external/v1/notes/:id',
      '/v1/machines/:id/x',
      '/external/v1/machines/:name',
    ])
      expect(await check('invoke', path, 'mch_1')).toBe('machine_not_allowed');
  });

  it('limits neither reads nor unlimited callers, and looks nothing up for them', async () => {
    expect(await check('read', SESSION_PATH, 'ses_of_2')).toBe(true);
    expect(await check('decide', SESSION_PATH, 'ses_of_2', null)).toBe(true);
    expect(await check('decide', SESSION_PATH, 'ses_of_2', null, ControlHandlers)).toBe(true);
    expect(findMachineId).not.toHaveBeenCalled();
  });
});
