import { describeBrowser } from './user-agent';

describe('the browser of a user agent', () => {
  const CHROMIUM = 'AppleWebKit/537.36 (KHTML, like Gecko)';
  it.each([
    [
      'Edge on Windows',
      `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${CHROMIUM} Chrome/126.0.0.0 Safari/537.36 Edg/126.0`,
    ],
    [
      'Opera on macOS',
      `Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) ${CHROMIUM} Chrome/126.0 Safari/537.36 OPR/112.0`,
    ],
    ['Firefox on Linux', 'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0'],
    ['Chrome on Android', `Mozilla/5.0 (Linux; Android 10; K) ${CHROMIUM} Chrome/126.0.0.0 Mobile Safari/537.36`],
    ['Chrome on ChromeOS', `Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) ${CHROMIUM} Chrome/126.0.0.0 Safari/537.36`],
    [
      'Chrome on iPhone',
      `Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) CriOS/126.0 Mobile/15E148 Safari/604.1`,
    ],
    [
      'Firefox on iPhone',
      'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) FxiOS/127.0 Mobile/15E148 Safari/605.1.15',
    ],
    ['Safari on iPad', 'Mozilla/5.0 (iPad; CPU OS 17_5 like Mac OS X) Version/17.5 Mobile/15E148 Safari/604.1'],
    [
      'Safari on iPhone',
      'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) Version/17.5 Mobile/15E148 Safari/604.1',
    ],
    ['Firefox', 'Mozilla/5.0 Firefox/128.0'],
  ])('is %s', (name, userAgent) => {
    expect(describeBrowser(userAgent)).toBe(name);
  });

  it.each(['node', 'curl/8.5.0', 'external-api-client/0.1.0 Firefox', 'Mozilla/5.0 (compatible; Bot/1.0)', ''])(
    'is not known of %j',
    (userAgent) => {
      expect(describeBrowser(userAgent)).toBeNull();
    },
  );
});
