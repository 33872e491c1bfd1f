import { ApiError } from '../common/errors';

/** A sealed key that does not open or does not match, a text that does not decrypt or is out of place. */
export function grantKeyMismatch(detail: string): ApiError {
  return new ApiError('grant_key_mismatch', detail);
}

export function noContentGrant(detail = 'No key grant covers this content for this caller.'): ApiError {
  return new ApiError('no_content_grant', detail);
}
