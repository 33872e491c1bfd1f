import { raw, type Request, type Response } from 'express';
import { parseBody, type BodyError } from '../../common/http';
import { InvalidRequest } from './oauth-error';
import { parseParameters, repeatedOf, type Parameters } from './parameters';

const LIMIT = 65_536;
const FORM = /^application\/x-www-form-urlencoded\s*(;\s*charset\s*=\s*"?utf-8"?\s*)?$/i;
const readRaw = raw({ limit: LIMIT, type: () => true });

/** Every parameter that an endpoint of ours knows; of others nothing is asked. */
const KNOWN = [
  'client_id',
  'client_secret',
  'grant_type',
  'code',
  'redirect_uri',
  'code_verifier',
  'refresh_token',
  'scope',
  'token',
  'token_type_hint',
];

/**
 * The form that an endpoint was sent; what stands in the query is not looked at (RFC 6749 §2.3.1, §3.2).
 * @throws InvalidRequest for another kind of body, one too large, or a repeated parameter
 */
export async function readForm(request: Request, response: Response): Promise<Parameters> {
  const type = request.headers['content-type'];
  if (type !== undefined && !FORM.test(type)) {
    throw new InvalidRequest('The body must be application/x-www-form-urlencoded in UTF-8.');
  }
  await parseBody(readRaw, request, response, LIMIT).catch((error: BodyError) => {
    throw bodyFault(error);
  });
  const body: unknown = request.body;
  const parameters = parseParameters(Buffer.isBuffer(body) ? body.toString('latin1') : '');
  const repeated = repeatedOf(parameters, KNOWN);
  if (repeated) throw new InvalidRequest(`${repeated} is given more than once.`);
  return parameters;
}

function bodyFault(error: BodyError): InvalidRequest {
  if (error.type === 'entity.too.large') {
    // The rest of the body is not read, so the connection cannot be used again.
    return new InvalidRequest(`The body may hold at most ${LIMIT} bytes.`, 413, { Connection: 'close' });
  }
  return new InvalidRequest('The body could not be read.');
}
