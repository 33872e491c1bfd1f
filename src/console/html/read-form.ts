import { urlencoded, type Request, type Response } from 'express';
import { ApiError } from '../../common/errors';
import { parseBody, type BodyError } from '../../common/http';

const LIMIT = 65_536;
const parser = urlencoded({ extended: false, limit: LIMIT, parameterLimit: 200, type: () => true });

/** What a page's form sent: a field that was there more than once is a list. */
export type FormFields = Readonly<Record<string, string | string[] | undefined>>;

/**
 * Reads a form as browsers send it, `application/x-www-form-urlencoded`.
 * @throws ApiError 415, 413
 */
export async function readForm(request: Request, response: Response): Promise<FormFields> {
  if (!request.is('application/x-www-form-urlencoded')) throw noForm();
  await parseBody(parser, request, response, LIMIT).catch(({ type = '' }: BodyError) => {
    throw /too\.(large|many)$/.test(type) ? tooLarge() : noForm();
  });
  return (request.body ?? {}) as FormFields;
}

/** The field's text; empty where it is missing or there more than once. */
export function fieldOf(form: FormFields, name: string): string {
  const value = form[name];
  return typeof value === 'string' ? value : '';
}

function noForm(): ApiError {
  return new ApiError('unsupported_media_type', 'The body must be a form of this page, in UTF-8.');
}

function tooLarge(): ApiError {
  // The rest of the body is not read, so the connection cannot be used again.
  return new ApiError('payload_too_large', `The form may hold at most ${LIMIT} bytes.`, {
    headers: { Connection: 'close' },
  });
}
