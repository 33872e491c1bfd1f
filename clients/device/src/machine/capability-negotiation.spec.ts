import { AGENT_CAPABILITIES, CapabilityNegotiation } from './capability-negotiation';

const hello = { serverTime: 0, deviceId: 'dev_1' };

describe('CapabilityNegotiation', () => {
  it('accepts nothing before the first connection', () => {
    expect(new CapabilityNegotiation(AGENT_CAPABILITIES).isAccepted('session.message')).toBe(false);
  });

  it('accepts the original capabilities of a service that lists none', () => {
    const capabilities = new CapabilityNegotiation(AGENT_CAPABILITIES);
    capabilities.applyHello(hello);
    expect(AGENT_CAPABILITIES.filter((name) => capabilities.isAccepted(name))).toEqual([
      'session.message',
      'machine.invoke',
    ]);
    expect(capabilities.areTurnsAccepted).toBe(false);
  });

  it('follows the newest connection, and tells its listeners', () => {
    const capabilities = new CapabilityNegotiation(AGENT_CAPABILITIES);
    const seen: boolean[] = [];
    capabilities.onHello(() => seen.push(capabilities.areTurnsAccepted));
    capabilities.applyHello({ ...hello, capabilities: ['session.message', 'session.cancel'] });
    capabilities.applyHello(hello);
    expect(seen).toEqual([true, false]);
  });

  it('accepts nothing that the device did not declare', () => {
    const capabilities = new CapabilityNegotiation();
    capabilities.applyHello({ ...hello, capabilities: [...AGENT_CAPABILITIES] });
    expect(capabilities.isAccepted('session.cancel')).toBe(false);
  });
});
