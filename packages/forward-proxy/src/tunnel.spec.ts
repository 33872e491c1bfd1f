import { parseProxy } from './proxy-settings';
import { createRefusalError } from './tunnel';

const proxy = parseProxy('http://ada:secret@proxy.example:3128', 'HTTPS_PROXY');

describe('a response of a proxy to CONNECT', () => {
  it.each([
    ['refuses to connect to svc.example:443', 'ERR_PROXY_REFUSED', [401, 403, 404, 451]],
    ["can't connect to svc.example:443", 'ERR_PROXY_GATEWAY', [408, 429, 500, 502, 503, 504, 505, 511, 599]],
    ["doesn't answer as an HTTP proxy", 'ERR_PROXY_UNREACHABLE', [101, 301, 302, 307, 400, 405, 410, 421, 426, 501]],
    ['rejects the user name and password in HTTPS_PROXY', 'ERR_PROXY_AUTHENTICATION', [407]],
  ])('that says that it %s is %s', (text, code, statuses) => {
    for (const status of statuses) {
      const error = createRefusalError(proxy, 'svc.example:443', status);
      expect(error).toMatchObject({ code, status, reason: `the proxy proxy.example:3128 ${text} (status ${status})` });
      expect(error.message).not.toMatch(/ada|secret/);
    }
  });
});
