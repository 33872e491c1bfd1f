import { inspect } from 'node:util';
import { DeviceApiClient } from './device-api-client';

describe('DeviceApiClient', () => {
  it.each([
    'https://user:SECRET@example.com',
    'https://SECRET@example.com',
    'ftp://user:SECRET@x',
    'https://a:SECRET@ b',
  ])('refuses a URL with a password without showing it', (url) => {
    expect(() => new DeviceApiClient(url)).toThrow(/^The URL of the service /);
    expect(() => new DeviceApiClient(url)).not.toThrow('SECRET');
  });

  it.each(['SECRET\nx', 'SECRET\u00e9', 'SECRET x'])(
    'sends no malformed token, and does not show it',
    async (token) => {
      const client = new DeviceApiClient('http://127.0.0.1:9');
      const error = await client.sendRequest('GET', '/v1/devices', { token }).catch((thrown: unknown) => thrown);
      expect(inspect(error, { depth: 9, showHidden: true })).toContain('has characters that no token has');
      expect(inspect(error, { depth: 9, showHidden: true })).not.toContain('SECRET');
    },
  );
});
