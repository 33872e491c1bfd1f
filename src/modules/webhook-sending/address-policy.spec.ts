import type { Config } from '../../core/config';
import { AddressPolicy } from './address-policy';

describe('AddressPolicy', () => {
  const rules = new AddressPolicy({ webhooks: { allowCidrs: ['10.1.0.0/16'] } } as unknown as Config);

  it.each(['93.184.216.34', '2606:2800:220:1::1', '10.1.2.3', '::ffff:10.1.2.3'])('allows %s', (address) =>
    expect(rules.isAllowed(address)).toBe(true),
  );

  it.each(['10.2.0.1', '127.0.0.1', '::1', '::ffff:127.0.0.1', 'fe80::1%eth0', '168.63.129.16'])(
    'refuses %s',
    (address) => expect(rules.isAllowed(address)).toBe(false),
  );

  it('allows loopback addresses in local development, and no other address of this computer', () => {
    const local = new AddressPolicy({ webhooks: { allowCidrs: [], allowLoopback: true } } as unknown as Config);
    for (const address of ['127.0.0.1', '127.9.9.9', '::1', '::ffff:127.0.0.1']) {
      expect([address, local.isAllowed(address)]).toEqual([address, true]);
    }
    for (const address of ['0.0.0.0', '::', '10.0.0.1', '169.254.169.254', '168.63.129.16', 'fe80::1', 'localhost']) {
      expect([address, local.isAllowed(address)]).toEqual([address, false]);
    }
  });

  it.each(['', 'localhost', '93.184.216', '0x5d.0xb8.0xd8.0x22', '93.184.216.34.1', '::g'])(
    'refuses text that is not an address: %j',
    (text) => expect(rules.isAllowed(text)).toBe(false),
  );
});
