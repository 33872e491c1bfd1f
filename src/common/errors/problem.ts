import type { ApiError } from './api-error';

/** An RFC 9457 problem document with the members that every error of this API has. */
export interface Problem {
  type: string;
  title: string;
  status: number;
  detail: string;
  code: string;
  requestId: string;
  [member: string]: unknown;
}

export const PROBLEM_MEDIA_TYPE = 'application/problem+json';

/** @param publicUrl the host root, without a trailing slash; `type` links to its error page. */
export function toProblem(error: ApiError, publicUrl: string, requestId: string): Problem {
  return {
    type: `${publicUrl}/docs/errors#${error.code}`,
    title: error.title,
    status: error.status,
    detail: error.detail,
    code: error.code,
    requestId,
    ...error.extras.members,
  };
}
