import { ExecutionContextHost } from '@nestjs/core/helpers/execution-context-host';
import type { Clock } from '../../common/clock';
import type { Config } from '../../core/config';
import { Deprecated, type Deprecation } from './deprecation';
import { buildDeprecationHeaders, DeprecationGuard } from './deprecation.guard';

const HOST = 'https://api.test';
const SUNSET_AT = Date.UTC(2027, 0, 31, 12);
const DEPRECATION: Deprecation = {
  id: 'old-sessions',
  message: 'Use /external/v1/sessions.',
  deprecatedAt: Date.UTC(2026, 5, 30) + 999,
  sunsetAt: SUNSET_AT,
  replacement: '/external/v1/sessions',
};

describe('buildDeprecationHeaders', () => {
  it('returns the date of the deprecation in whole seconds, an HTTP date of the sunset, and both links', () => {
    expect(buildDeprecationHeaders(DEPRECATION, HOST)).toEqual({
      Deprecation: '@1782777600',
      Sunset: 'Sun, 31 Jan 2027 12:00:00 GMT',
      Link:
        '<https://api.test/docs/deprecations#old-sessions>; rel="deprecation"; type="text/html", ' +
        '<https://api.test/external/v1/sessions>; rel="successor-version"',
    });
  });

  it('omits the sunset that is not decided, and the replacement that does not exist', () => {
    expect(buildDeprecationHeaders({ ...DEPRECATION, sunsetAt: null, replacement: null }, HOST)).toEqual({
      Deprecation: '@1782777600',
      Link: '<https://api.test/docs/deprecations#old-sessions>; rel="deprecation"; type="text/html"',
    });
  });
});

describe('DeprecationGuard', () => {
  const clock = { now: () => SUNSET_AT };
  const guard = new DeprecationGuard({ publicUrl: HOST } as Config, clock as Clock);
  let headers: object | null;

  beforeEach(() => (headers = null));

  function enter(deprecation: Deprecation | null, type = 'http'): boolean {
    const handler = () => undefined;
    if (deprecation) Deprecated(deprecation)(handler);
    const response = { set: (values: object) => (headers = values) };
    const context = new ExecutionContextHost([{}, response], class {}, handler);
    context.setType(type);
    return guard.canActivate(context);
  }

  it.each([
    { name: 'before its sunset', sunsetAt: SUNSET_AT + 1 },
    { name: 'without a sunset', sunsetAt: null },
  ])('admits calls of a deprecated route $name, with headers', ({ sunsetAt }) => {
    const deprecation = { ...DEPRECATION, sunsetAt };
    expect(enter(deprecation)).toBe(true);
    expect(headers).toEqual(buildDeprecationHeaders(deprecation, HOST));
  });

  it.each([0, 1])('refuses calls %d ms after the sunset, with headers', (age) => {
    const deprecation = { ...DEPRECATION, sunsetAt: SUNSET_AT - age };
    expect(() => enter(deprecation)).toThrow(
      expect.objectContaining({ code: 'gone', detail: 'This route is gone. Use /external/v1/sessions.' }),
    );
    expect(headers).toEqual(buildDeprecationHeaders(deprecation, HOST));
  });

  it.each([
    { name: 'other routes', deprecation: null, type: 'http' },
    { name: 'socket messages, which have no response', deprecation: DEPRECATION, type: 'ws' },
  ])('does nothing for $name', ({ deprecation, type }) => {
    expect(enter(deprecation, type)).toBe(true);
    expect(headers).toBeNull();
  });
});
