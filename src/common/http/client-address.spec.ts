import type { IncomingMessage } from 'node:http';
import { createClientAddressReader } from './client-address';

function readAddress(trusted: number | string[] | null, socketAddress: string | undefined, forwarded?: string) {
  const request = { socket: { remoteAddress: socketAddress }, headers: { 'x-forwarded-for': forwarded } };
  return createClientAddressReader(trusted)(request as unknown as IncomingMessage);
}

describe('createClientAddressReader', () => {
  it.each([
    ['203.0.113.7', '203.0.113.7'],
    ['203.0.113.7:5678', '203.0.113.7'],
    ['203.0.113.7:', '203.0.113.7'],
    [' "203.0.113.7:5678" ', '203.0.113.7'],
    ['[203.0.113.7]:5678', '203.0.113.7'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['::FFFF:cb00:7107', '203.0.113.7'],
    ['[::ffff:203.0.113.7]:443', '203.0.113.7'],
    ['2001:db8::1', '2001:db8::1'],
    ['2001:DB8:0:0:0:0:0:1', '2001:db8::1'],
    ['2001:db8:0:0:0:0:0:1:443', '2001:db8::1'],
    ['[2001:db8::1]', '2001:db8::1'],
    ['[2001:db8::1]:443', '2001:db8::1'],
    ['"[2001:db8::1]:_port"', '2001:db8::1'],
    ['fe80::1%eth0', 'fe80::1'],
    ['[fe80::1%25eth0]:443', 'fe80::1'],
    ['\t203.0.113.7\t', '203.0.113.7'],
  ])('reads %j of a proxy as the address that it names', (element, address) => {
    expect(readAddress(1, '10.0.0.1', element)).toBe(address);
    expect(readAddress(['10.0.0.0/8'], '::ffff:10.0.0.1', `198.51.100.1, ,${element}`)).toBe(address);
  });

  it.each(['', 'unknown', '_hidden', 'proxy.example', '1', '0x7f000001', '999.0.0.1', '010.0.0.1', '[]:1', ':1', '%'])(
    'takes the address of a proxy that writes %j',
    (element) => {
      expect(readAddress(1, '::ffff:10.0.0.1', element)).toBe('10.0.0.1');
      expect(readAddress(['10.0.0.0/8'], '10.0.0.1', `203.0.113.7, ${element || 'unknown'}`)).toBe('10.0.0.1');
    },
  );

  it('goes back through trusted proxies in any spelling, and no further', () => {
    const forwarded = '192.0.2.1, 203.0.113.7:80, [::ffff:10.0.0.2]:443';
    expect(readAddress(['10.0.0.0/8'], '::ffff:10.0.0.1', forwarded)).toBe('203.0.113.7');
    expect(readAddress(['10.0.0.1'], '10.0.0.1', forwarded)).toBe('10.0.0.2');
    expect(readAddress(2, '10.0.0.1', forwarded)).toBe('203.0.113.7');
    expect(readAddress(2, '10.0.0.1', '203.0.113.7, unknown')).toBe('203.0.113.7');
    expect(readAddress(9, '10.0.0.1', forwarded)).toBe('192.0.2.1');
  });

  it('ignores the header without a trusted proxy', () => {
    expect(readAddress(null, '::ffff:198.51.100.1', '203.0.113.7')).toBe('198.51.100.1');
    expect(readAddress(0, '198.51.100.1', '203.0.113.7')).toBe('198.51.100.1');
    expect(readAddress(['10.0.0.0/8'], '198.51.100.1', '203.0.113.7')).toBe('198.51.100.1');
  });

  it('has no address of a connection that closed before its first request', () => {
    expect(readAddress(null, undefined)).toBeUndefined();
  });

  it('keeps the address of a connection that closes while a request of it waits', () => {
    const socket: { remoteAddress?: string } = { remoteAddress: '::ffff:198.51.100.1' };
    const readNext = () => createClientAddressReader(null)({ socket, headers: {} } as unknown as IncomingMessage);
    expect(readNext()).toBe('198.51.100.1');
    delete socket.remoteAddress;
    expect(readNext()).toBe('198.51.100.1');
  });
});
