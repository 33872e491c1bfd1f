import { isUtf8 } from 'node:buffer';
import { urlencoded, type Request, type Response } from 'express';
import { ApiError } from '../../../common/errors';
import { isPercentEncodedUtf8, isUtf8MediaType, parseBody, type BodyParserError } from '../../../common/http';

const FORM_MEDIA_TYPE = 'application/x-www-form-urlencoded';
const MAX_PAGE_FORM_BYTES = 65_536;
const formParser = urlencoded({
  extended: false,
  limit: MAX_PAGE_FORM_BYTES,
  parameterLimit: 200,
  type: () => true,
  verify: (_request, _response, form) => {
    if (!isUtf8(form) || !isPercentEncodedUtf8(form.toString())) throw new Error('The form is not UTF-8.');
  },
});

/** Fields of a submitted form. A repeated field is a list. */
export type FormFields = Readonly<Record<string, string | string[] | undefined>>;

/**
 * Reads a form of type `application/x-www-form-urlencoded`.
 * @throws ApiError 415, 413
 */
export async function readPageForm(request: Request, response: Response): Promise<FormFields> {
  if (!isUtf8MediaType(request.headers['content-type'] ?? '', FORM_MEDIA_TYPE)) throw unsupportedForm();
  // The parser refuses `utf8` and other spellings.
  request.headers['content-type'] = FORM_MEDIA_TYPE;
  await parseBody(formParser, request, response, MAX_PAGE_FORM_BYTES).catch(({ type = '' }: BodyParserError) => {
    throw /too\.(large|many)$/.test(type) ? formTooLarge() : unsupportedForm();
  });
  return (request.body ?? {}) as FormFields;
}

/** Returns the field's text; empty if it is missing or repeated. */
export function getFormField(form: FormFields, name: string): string {
  const value = form[name];
  return typeof value === 'string' ? value : '';
}

function unsupportedForm(): ApiError {
  return new ApiError('unsupported_media_type', 'The body must be a form in UTF-8.');
}

function formTooLarge(): ApiError {
  // The rest of the body is not read, so the connection cannot be used again.
  return new ApiError('payload_too_large', `The form must not exceed ${MAX_PAGE_FORM_BYTES} bytes.`, {
    headers: { Connection: 'close' },
  });
}
