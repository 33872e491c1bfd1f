import type { ExecutionContext } from '@nestjs/common';
import { ExecutionContextHost } from '@nestjs/core/helpers/execution-context-host';
import { Test } from '@nestjs/testing';
import { PermissionGuard } from './permission.guard';
import type { Principal } from './principal';
import { BrowserOnly, ControlController, DeviceOnly, Public, RequirePatScopes, RequireScopes } from './route-policy';

class Handlers {
  @Public()
  open(this: void) {}

  @RequireScopes('sessions:read', 'usage:read')
  scoped(this: void) {}

  @RequirePatScopes('sessions:write')
  patOnly(this: void) {}

  @DeviceOnly('devices.manage')
  manageDevices(this: void) {}

  @BrowserOnly()
  page(this: void) {}

  undeclared(this: void) {}
}

@ControlController('handlers')
class ControlHandlers extends Handlers {}

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

  const check = (handler: keyof Handlers, principal?: Principal, controller = Handlers): unknown => {
    const args = [{ principal }];
    const context: ExecutionContext = new ExecutionContextHost(args, controller, Handlers.prototype[handler]);
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

  it('admits no app to a route for personal access tokens, whatever its scopes', () => {
    const write = { ...token(['sessions:write']) };
    expect(check('patOnly', { ...write, type: 'pat' } as Principal)).toBe(true);
    expect(check('patOnly', { ...write, type: 'oauth' } as Principal)).toBe('forbidden');
    expect(check('patOnly', { ...token([]), type: 'pat' } as Principal)).toBe('insufficient_scope');
  });

  it('requires a kind of device that has the permission', () => {
    expect(check('manageDevices', device('account'))).toBe(true);
    expect(check('manageDevices', device('machine'))).toBe('forbidden');
  });

  it('admits only account devices to pages', () => {
    expect(check('page', device('account'))).toBe(true);
    expect(check('page', device('machine'))).toBe('forbidden');
  });

  it('names all scopes that a route requires to a token that lacks one of them', () => {
    const context = new ExecutionContextHost(
      [{ principal: token(['sessions:read']) }],
      Handlers,
      Handlers.prototype.scoped,
    );
    const required = ['sessions:read', 'usage:read'];
    const headers = { 'WWW-Authenticate': expect.stringContaining(`scope="${required.join(' ')}"`) as string };
    expect(() => guard.canActivate(context)).toThrow(
      expect.objectContaining({
        detail: 'This token lacks usage:read.',
        extras: { members: { required }, headers },
      }) as Error,
    );
  });

  it('admits account devices to control routes, and nobody else', () => {
    const checkControl = (principal?: Principal) => check('scoped', principal, ControlHandlers);
    expect(checkControl(device('account'))).toBe(true);
    expect(checkControl(device('machine'))).toBe('forbidden');
    expect(checkControl(token(['sessions:read', 'usage:read']))).toBe(false);
    expect(checkControl()).toBe(false);
    expect(checkControl(device('account', true))).toBe('service_unavailable');
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
