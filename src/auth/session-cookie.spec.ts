import type { Request } from 'express';
import { SessionCookie } from './session-cookie';

describe('the session cookie', () => {
  const at = (publicUrl: string) => new SessionCookie({ publicUrl } as never);
  const read = (cookie: SessionCookie, header?: string) => cookie.read({ headers: { cookie: header } } as Request);

  it('is bound to this host where there is https', () => {
    expect(at('https://api.example').name).toBe('__Host-external_api_session');
    expect(at('http://localhost:3000').name).toBe('external_api_session');
  });

  it('is found among others', () => {
    const cookie = at('http://localhost:3000');
    expect(read(cookie, 'a=1; external_api_session=svc_dev_x; b=2')).toBe('svc_dev_x');
    expect(read(cookie, 'a=1; xexternal_api_session=svc_dev_x')).toBeNull();
    expect(read(cookie)).toBeNull();
  });

  it('is none where somebody else has set another of its name', () => {
    expect(read(at('http://localhost:3000'), 'external_api_session=a; external_api_session=b')).toBeNull();
  });
});
