import type { Request } from 'express';
import { LoginCookie } from './login-cookie';

describe('LoginCookie', () => {
  const at = (publicUrl: string) => new LoginCookie({ publicUrl } as never);
  const read = (cookie: LoginCookie, header?: string) => cookie.readToken({ headers: { cookie: header } } as Request);

  it('is bound to the host if the service uses https', () => {
    expect(at('https://api.example').name).toBe('__Host-external_api_session');
    expect(at('http://localhost:3000').name).toBe('external_api_session');
  });

  it('is found among other cookies', () => {
    const cookie = at('http://localhost:3000');
    expect(read(cookie, 'a=1; external_api_session=svc_dev_x; b=2')).toBe('svc_dev_x');
    expect(read(cookie, 'a=1; xexternal_api_session=svc_dev_x')).toBeNull();
    expect(read(cookie)).toBeNull();
  });

  it('is ignored if it occurs twice', () => {
    expect(read(at('http://localhost:3000'), 'external_api_session=a; external_api_session=b')).toBeNull();
  });
});
