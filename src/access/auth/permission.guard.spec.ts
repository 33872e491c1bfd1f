import type { ExecutionContext } from '@nestjs/common';
import { ExecutionContextHost } from '@nestjs/core/helpers/execution-context-host';
import { Test } from '@nestjs/testing';
import { PermissionGuard } from './permission.guard';
import type { Principal } from './principal';
import { BrowserOnly, DeviceOnly, Public, RequireScopes } from './route-policy';

class Handlers {
  @Public()
  open(this: void) {}

  @RequireScopes('sessions:read', 'usage:read')
  scoped(this: void) {}

  @DeviceOnly('devices.manage')
  manageDevices(this: void) {}

  @BrowserOnly()
  page(this: void) {}

  undeclared(this: void) {}
}

const token = (scopes: string[], isSuspended = false) =>
  ({ kind: 'token', scopes, account: { isSuspended } }) as unknown as Principal;
const device = (deviceKind: 'account' | 'machine', isSuspended = false) =>
  ({ kind: 'device', deviceKind, account: { isSuspended } }) as unknown as Principal;

describe('PermissionGuard', () => {
  let guard: PermissionGuard;

  beforeAll(async () => {
    const module = await Test.createTestingModule({ providers: [PermissionGuard] }).compile();
    guard = module.get(PermissionGuard);
  });

  const check = (handler: keyof Handlers, principal?: Principal): unknown => {
    const context: ExecutionContext = new ExecutionContextHost([{ principal }], Handlers, Handlers.prototype[handler]);
    try {
      return guard.canActivate(context);
    } catch (error) {
      return (error as { code: string }).code;
    }
  };

  it('admits anyone to a public route', () => {
    expect(check('open')).toBe(true);
  });

  it.each([
    { name: 'all of them', scopes: ['sessions:read', 'usage:read'], result: true },
    { name: 'all of them and others', scopes: ['usage:read', 'machines:read', 'sessions:read'], result: true },
    { name: 'the first only', scopes: ['sessions:read'], result: 'insufficient_scope' },
    { name: 'the second only', scopes: ['usage:read'], result: 'insufficient_scope' },
    { name: 'another one only', scopes: ['sessions:write'], result: 'insufficient_scope' },
    { name: 'a longer name', scopes: ['sessions:read', 'usage:read:all'], result: 'insufficient_scope' },
    { name: 'none', scopes: [], result: 'insufficient_scope' },
  ])('requires every scope of the route of a token with $name', ({ scopes, result }) => {
    expect(check('scoped', token(scopes))).toBe(result);
  });

  it('requires a kind of device that has the permission', () => {
    expect(check('manageDevices', device('account'))).toBe(true);
    expect(check('manageDevices', device('machine'))).toBe('forbidden');
  });

  it('admits only account devices to pages', () => {
    expect(check('page', device('account'))).toBe(true);
    expect(check('page', device('machine'))).toBe('forbidden');
  });

  it('refuses suspended accounts, with an error that makes devices retry', () => {
    expect(check('scoped', token(['sessions:read', 'usage:read'], true))).toBe('forbidden');
    expect(check('manageDevices', device('account', true))).toBe('service_unavailable');
  });

  it.each([
    ['scoped', device('account')],
    ['manageDevices', token(['sessions:read'])],
    ['undeclared', token(['sessions:read'])],
    ['undeclared', undefined],
  ] as const)('refuses %s to a principal that its policy does not name', (handler, principal) => {
    expect(check(handler, principal)).toBe(false);
  });
});
