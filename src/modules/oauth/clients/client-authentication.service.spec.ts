import { InvalidClientError, InvalidRequestError } from '../http/oauth-error';
import { parseFormParameters } from '../http/form-parameters';
import { readClientCredentials } from './client-authentication.service';

describe('client credentials', () => {
  const read = (authorization?: string, form = '') => readClientCredentials(authorization, parseFormParameters(form));
  const basic = (pair: string) => `Basic ${Buffer.from(pair).toString('base64')}`;
  const refusal = (authorization?: string, form = ''): unknown => {
    try {
      return read(authorization, form);
    } catch (error) {
      return error;
    }
  };

  it('are taken from HTTP Basic, form-encoded or as they are (RFC 6749 §2.3.1)', () => {
    const expected = { clientId: 'svc_oapp_a', secret: 'svc_ocs_b', byHeader: true };
    expect(read(basic('svc_oapp_a:svc_ocs_b'))).toEqual(expected);
    expect(read(basic('svc%5Foapp%5Fa:svc%5focs%5Fb'))).toEqual(expected);
    expect(read(basic('svc_oapp_a:svc_ocs_b').replace('Basic', 'basic'))).toEqual(expected);
    expect(read(basic('a:b:c%')).secret).toBe('b:c%');
  });

  it('are taken from the form', () => {
    const expected = { clientId: 'a', secret: 'b', byHeader: false };
    expect(read(undefined, 'client_id=a&client_secret=b')).toEqual(expected);
  });

  it('in HTTP Basic may be repeated as client_id in the form only if it is the same', () => {
    expect(read(basic('a:b'), 'client_id=a')).toMatchObject({ clientId: 'a', byHeader: true });
    expect(refusal(basic('a:b'), 'client_id=c')).toBeInstanceOf(InvalidRequestError);
  });

  it('are rejected if sent by both methods (RFC 6749 §2.3)', () => {
    expect(refusal(basic('a:b'), 'client_id=a&client_secret=b')).toBeInstanceOf(InvalidRequestError);
    expect(refusal('Bearer x', 'client_secret=b')).toBeInstanceOf(InvalidRequestError);
  });

  it.each(['', 'client_id=a', 'client_secret=b', 'client_id=a&client_secret='])(
    'that are missing are an invalid client, without a challenge: %j',
    (form) => {
      const error = refusal(undefined, form);
      expect(error).toBeInstanceOf(InvalidClientError);
      expect((error as InvalidClientError).headers).toEqual({});
    },
  );

  it.each(['', 'Basic', 'Basic ', 'Basic !', 'Bearer abc', basic('nocolon'), 'Basic YTpi extra'])(
    'in a header that is none are an invalid client, with a challenge: %j',
    (authorization) => {
      const error = refusal(authorization);
      expect(error).toBeInstanceOf(InvalidClientError);
      expect((error as InvalidClientError).headers).toEqual({
        'WWW-Authenticate': 'Basic realm="external-api"',
      });
    },
  );
});
