import { ApiError } from '../../common/errors';

/** Thrown when a sealed key or a ciphertext does not decrypt or is bound to another record. */
export function grantKeyMismatch(detail: string): ApiError {
  return new ApiError('grant_key_mismatch', detail);
}

export function noContentGrant(detail = 'No key grant covers this content for this caller.'): ApiError {
  return new ApiError('no_content_grant', detail);
}
