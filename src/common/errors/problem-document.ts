import type { ApiError } from './api-error';

/** RFC 9457 problem document with the members that all errors of this API share. */
export interface ProblemDocument {
  type: string;
  title: string;
  status: number;
  detail: string;
  code: string;
  requestId: string;
  [member: string]: unknown;
}

export const PROBLEM_MEDIA_TYPE = 'application/problem+json';

/** @param publicUrl host root without a trailing slash; `type` links to the error page below it */
export function toProblemDocument(error: ApiError, publicUrl: string, requestId: string): ProblemDocument {
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
