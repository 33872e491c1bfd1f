import { ExecutionContextHost } from '@nestjs/core/helpers/execution-context-host';
import { BackpressureGuard, ReserveResponseBytes } from './backpressure.guard';
import type { UnsentResponseLimiter } from './unsent-response-limiter';

describe('BackpressureGuard', () => {
  const admitResponse = jest.fn();
  const guard = new BackpressureGuard({ admitResponse } as unknown as UnsentResponseLimiter);
  const response = {};

  beforeEach(() => admitResponse.mockReset());

  function enter(request: object, reservedBytes?: number, type = 'http'): boolean {
    const handler = () => undefined;
    if (reservedBytes !== undefined) ReserveResponseBytes(reservedBytes)(handler);
    const context = new ExecutionContextHost([{ ...request }, response], class {}, handler);
    context.setType(type);
    return guard.canActivate(context);
  }

  it.each([
    { name: 'the account of a credential', request: { principal: { accountId: 'acc_1' }, ip: '::1' }, owner: 'acc_1' },
    { name: 'the address of a caller without one', request: { ip: '192.0.2.7' }, owner: 'address 192.0.2.7' },
  ])('counts the reserved bytes for $name', ({ request, owner }) => {
    expect(enter(request, 4_096)).toBe(true);
    expect(admitResponse.mock.calls).toEqual([[owner, response, 4_096]]);
  });

  it('counts routes without a reservation as well, since their responses may stay unread', () => {
    enter({ ip: '::1' });
    expect(admitResponse).toHaveBeenCalledWith('address ::1', response, 0);
  });

  it('refuses the call if the limiter does', () => {
    admitResponse.mockImplementation(() => {
      throw new Error('refused');
    });
    expect(() => enter({ ip: '::1' })).toThrow('refused');
  });

  it('does not count socket messages', () => {
    expect(enter({}, 4_096, 'ws')).toBe(true);
    expect(admitResponse).not.toHaveBeenCalled();
  });
});
