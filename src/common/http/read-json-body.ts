import { json, type Request, type Response } from 'express';
import { ApiError, invalidRequestError } from '../errors';
import type { BodyLimits } from './body-limits';
import { findExceededLimit } from './json-limits';
import { parseBody, type BodyParserError, type BodyParser } from './parse-body';
import { isInheritedName, appendJsonPointer, unknownNameViolation } from './unknown-name';

const parsersByLimits = new WeakMap<BodyLimits, BodyParser>();

/**
 * Reads and parses the body. Drops null members: null means that the field is omitted.
 * @throws ApiError `unsupported_media_type`, `payload_too_large` or `invalid_request`, checked in this order
 */
export async function readJsonBody(request: Request, response: Response, limits: BodyLimits): Promise<unknown> {
  if (!hasBody(request)) return {};
  requireJsonContentType(request);
  await parseJson(request, response, limits);
  const body: unknown = request.body;
  removeNullMembers(body);
  return body;
}

function hasBody(request: Request): boolean {
  const { 'content-length': length, 'transfer-encoding': chunked } = request.headers;
  return chunked !== undefined || (length !== undefined && length !== '0');
}

function requireJsonContentType(request: Request): void {
  const [type, ...parameters] = (request.headers['content-type'] ?? '').split(';');
  const isJson =
    type!.trim().toLowerCase() === 'application/json' &&
    parameters.every((parameter) => /^\s*charset\s*=\s*"?utf-8"?\s*$/i.test(parameter));
  if (!isJson) {
    throw new ApiError('unsupported_media_type', 'The body must be application/json in UTF-8.');
  }
}

async function parseJson(request: Request, response: Response, limits: BodyLimits): Promise<void> {
  let parser = parsersByLimits.get(limits);
  if (!parser) {
    parser = json({
      limit: limits.bytes,
      inflate: limits.allowsCompression,
      strict: false,
      type: () => true,
      verify: (_request, _response, text) => requireWithinLimits(limits, text),
    });
    parsersByLimits.set(limits, parser);
  }
  try {
    await parseBody(parser, request, response, limits.bytes);
  } catch (error) {
    throw toBodyError(error as BodyParserError, limits);
  }
}

/** Runs between reading and parsing. @throws BodyParserError whose `type` names the exceeded limit */
function requireWithinLimits(limits: BodyLimits, text: Buffer): void {
  const exceeded = findExceededLimit(text, limits);
  if (exceeded) throw Object.assign(new Error('The body exceeds a limit.'), { type: exceeded });
}

function toBodyError({ type }: BodyParserError, { bytes, depth, entries, allowsCompression }: BodyLimits): ApiError {
  if (type === 'entity.too.large') {
    // The rest of the body is not read, so the connection can't be reused.
    return new ApiError('payload_too_large', `The body may have at most ${bytes} bytes.`, {
      headers: { Connection: 'close' },
    });
  }
  if (type === 'encoding.unsupported' || type === 'charset.unsupported') {
    const reason = allowsCompression ? 'The body has an unsupported encoding.' : 'The body must not be compressed.';
    return new ApiError('unsupported_media_type', reason);
  }
  if (type === 'depth') return bodyViolationError('too_deep', `The body is nested deeper than ${depth} levels.`);
  if (type === 'entries') {
    return bodyViolationError(
      'too_many_members',
      `The body may have at most ${entries} members and elements in total.`,
    );
  }
  return bodyViolationError('invalid_json', 'The body is not valid JSON.');
}

/** Drops null members and rejects names that class-validator silently ignores. */
function removeNullMembers(container: unknown, path = ''): void {
  if (!isContainer(container)) return;
  for (const [name, value] of Object.entries(container)) {
    removeNullMembers(value, appendJsonPointer(path, name));
    if (Array.isArray(container)) continue;
    if (isInheritedName(name)) throw invalidRequestError([unknownNameViolation('body', appendJsonPointer(path, name))]);
    if (value === null) delete container[name];
  }
}

function isContainer(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function bodyViolationError(code: string, message: string): ApiError {
  return invalidRequestError([{ in: 'body', path: '', code, message }]);
}
