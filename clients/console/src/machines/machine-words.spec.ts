import { CAPABILITIES, INVOCATION_ERROR_CODES } from '@external-api/protocol';
import type { InvocationRecord } from '../content/records';
import { describeCapabilities, describeInvocation, findObstacle, nameAgents } from './machine-words';

describe('a machine in words', () => {
  it('says what it can do, with unknown capabilities by name', () => {
    expect(describeCapabilities({ capabilities: ['x.new', 'machine.invoke', 'session.start'] })).toBe(
      'start sessions, run commands, x.new',
    );
    expect(describeCapabilities({ capabilities: [] })).toBe('nothing yet');
    const capabilities = ['machine.invoke', 'session.message', 'session.start'];
    expect(describeCapabilities({ capabilities }, 2)).toBe('start sessions, receive messages, and 1 more');
    expect(describeCapabilities({ capabilities }, 3)).toBe('start sessions, receive messages, run commands');
  });

  it('has words for each capability of the protocol', () => {
    expect(CAPABILITIES.filter((name) => describeCapabilities({ capabilities: [name] }) === name)).toEqual([]);
  });

  it('names its agents by their titles, with nothing hidden', () => {
    const agents = [
      { name: 'claude', title: 'Claude\u202e Code' },
      { name: 'opencode', title: null },
    ];
    expect(nameAgents(agents)).toBe('Claude\\u{202e} Code, opencode');
    expect(nameAgents([])).toBe('–');
  });

  it.each([
    ['offline', ['invocation'], /offline/],
    ['online', ['invocation'], /^$/],
    ['online', ['machine.invoke'], /^$/],
    ['online', ['session.message'], /Update/],
  ] as const)('says why it can’t run commands: %s %j', (state, capabilities, text) => {
    expect(findObstacle({ state, capabilities: [...capabilities] }, 'invocation', 'machine.invoke')).toMatch(text);
  });

  it.each(INVOCATION_ERROR_CODES)('has words for a command that failed with %s', (errorCode) => {
    const text = describeInvocation({ state: 'failed', errorCode } as InvocationRecord);
    expect(text).toMatch(/^Failed: the /);
  });

  it.each([
    [{ state: 'starting' }, 'Starting …'],
    [{ state: 'running' }, 'Running …'],
    [{ state: 'cancelled' }, 'Cancelled'],
    [{ state: 'completed', exitCode: 3, signal: null }, 'Exit code 3'],
    [{ state: 'completed', exitCode: null, signal: 'SIGKILL' }, 'Ended by SIGKILL'],
    [{ state: 'failed', errorCode: 'command_not_found' }, 'Failed: the machine doesn’t have this command'],
    [{ state: 'failed', errorCode: 'new_code' }, 'Failed: new_code'],
    [{ state: 'timed_out' }, 'Stopped: its time was up'],
    [{ state: 'lost' }, 'Unknown: the machine is away'],
  ])('says how a command ended: %j', (record, text) => {
    expect(describeInvocation(record as InvocationRecord)).toBe(text);
  });
});
