/** The service refused, in its own words (problem+json). */
export class ServiceError extends Error {
  /** @param {number} status @param {{ code?: string, detail?: string, reason?: string }} problem */
  constructor(status, problem) {
    super(problem.detail ?? `The service answered with ${status}.`);
    this.status = status;
    this.code = problem.code;
    this.reason = problem.reason;
  }
}

/** Nobody can say whether it happened. */
export class UnreachableError extends Error {
  constructor() {
    super('The service cannot be reached. Check the connection and try again.');
  }
}

/**
 * Calls the device API (device-api.md) or the console's session.
 * @param {'GET' | 'POST' | 'DELETE'} method
 * @param {string} path
 * @param {{ body?: object, token?: string }} [options]
 * @returns {Promise<any>} `data` of the answer; undefined for an empty one
 * @throws {ServiceError | UnreachableError}
 */
export async function call(method, path, { body, token } = {}) {
  /** @type {Record<string, string>} */
  const headers = { Accept: 'application/json' };
  if (body) headers['Content-Type'] = 'application/json';
  if (token) headers.Authorization = `Bearer ${token}`;
  const { ok, status, text } = await exchange(path, {
    method,
    headers,
    body: body && JSON.stringify(body),
    cache: 'no-store',
  });
  const answer = parsed(text);
  if (!ok) throw new ServiceError(status, answer ?? {});
  // Something between here and the service has answered.
  if (!answer) throw new UnreachableError();
  return answer.data;
}

/**
 * @param {string} path
 * @param {RequestInit} init
 * @throws {UnreachableError} also when the answer breaks off
 */
async function exchange(path, init) {
  try {
    const response = await fetch(path, init);
    return { ok: response.ok, status: response.status, text: await response.text() };
  } catch {
    throw new UnreachableError();
  }
}

/** @param {string} text undefined: no JSON object */
function parsed(text) {
  try {
    const value = JSON.parse(text || '{}');
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
