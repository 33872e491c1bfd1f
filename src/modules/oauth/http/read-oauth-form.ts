import { raw, type Request, type Response } from 'express';
import { isUtf8MediaType, parseBody, PUBLIC_BODY_LIMITS, type BodyParserError } from '../../../common/http';
import { InvalidRequestError } from './oauth-error';
import { parseFormParameters, findRepeatedParameter, type FormParameters } from './form-parameters';

const { bytes: MAX_FORM_BYTES, entries: MAX_PARAMETERS } = PUBLIC_BODY_LIMITS;
const FORM_MEDIA_TYPE = 'application/x-www-form-urlencoded';
const parseRawBody = raw({ limit: MAX_FORM_BYTES, inflate: false, type: () => true });

/** Parameters known to the OAuth endpoints. Others may be repeated. */
const KNOWN_PARAMETERS = [
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
 * Reads the form body of a request. Ignores the query (RFC 6749 §2.3.1, §3.2).
 * @throws {InvalidRequestError} for another content type, a body that is too large or compressed, or a repeated
 *   parameter
 */
export async function readOAuthForm(request: Request, response: Response): Promise<FormParameters> {
  const type = request.headers['content-type'];
  if (type !== undefined && !isUtf8MediaType(type, FORM_MEDIA_TYPE)) {
    throw new InvalidRequestError('The body must be application/x-www-form-urlencoded in UTF-8.');
  }
  await parseBody(parseRawBody, request, response, MAX_FORM_BYTES).catch((error: BodyParserError) => {
    throw toInvalidRequestError(error);
  });
  const body: unknown = request.body;
  const form = Buffer.isBuffer(body) ? body.toString('latin1') : '';
  if (form.split('&', MAX_PARAMETERS + 1).length > MAX_PARAMETERS) {
    throw new InvalidRequestError(`The form may hold at most ${MAX_PARAMETERS} parameters.`);
  }
  const parameters = parseFormParameters(form);
  const repeatedName = findRepeatedParameter(parameters, KNOWN_PARAMETERS);
  if (repeatedName) throw new InvalidRequestError(`${repeatedName} is given more than once.`);
  return parameters;
}

function toInvalidRequestError(error: BodyParserError): InvalidRequestError {
  if (error.type === 'entity.too.large') {
    // Closes the connection, since the rest of the body is not read.
    return new InvalidRequestError(`The body may hold at most ${MAX_FORM_BYTES} bytes.`, 413, {
      Connection: 'close',
    });
  }
  if (error.type === 'encoding.unsupported') {
    return new InvalidRequestError('The body must not be compressed.', 415);
  }
  return new InvalidRequestError('The body could not be read.');
}
