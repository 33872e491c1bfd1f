import { json, type Request, type Response } from 'express';
import { ApiError, invalidRequest } from '../errors';
import { parseBody, type BodyError, type BodyParser } from './parse-body';
import { isInherited, jsonPointer, unknownName } from './unknown-name';

/** Bytes of a body that a route takes unless it says otherwise (external-api.md §1). */
export const DEFAULT_BODY_LIMIT = 1_048_576;
const MAX_DEPTH = 32;

const parsers = new Map<number, BodyParser>();

/**
 * Reads and parses the body. Members that are null are dropped: null is a field left out.
 * @throws ApiError 415, 413, 400 in that order
 */
export async function readJsonBody(request: Request, response: Response, limit: number): Promise<unknown> {
  if (!hasBody(request)) return {};
  requireJson(request);
  await parse(request, response, limit);
  const body: unknown = request.body;
  cleanse(body);
  return body;
}

function hasBody(request: Request): boolean {
  const { 'content-length': length, 'transfer-encoding': chunked } = request.headers;
  return chunked !== undefined || (length !== undefined && length !== '0');
}

function requireJson(request: Request): void {
  const [type, ...parameters] = (request.headers['content-type'] ?? '').split(';');
  const ok =
    type!.trim().toLowerCase() === 'application/json' &&
    parameters.every((parameter) => /^\s*charset\s*=\s*"?utf-8"?\s*$/i.test(parameter));
  if (!ok) {
    throw new ApiError('unsupported_media_type', 'The body must be application/json in UTF-8.');
  }
}

async function parse(request: Request, response: Response, limit: number): Promise<void> {
  let parser = parsers.get(limit);
  if (!parser) {
    parser = json({ limit, strict: false, type: () => true });
    parsers.set(limit, parser);
  }
  try {
    await parseBody(parser, request, response, limit);
  } catch (error) {
    throw bodyError(error as BodyError, limit);
  }
}

function bodyError(error: BodyError, limit: number): ApiError {
  if (error.type === 'entity.too.large') {
    // The rest of the body is not read, so the connection cannot be used again.
    return new ApiError('payload_too_large', `The body may hold at most ${limit} bytes.`, {
      headers: { Connection: 'close' },
    });
  }
  if (error.type === 'encoding.unsupported' || error.type === 'charset.unsupported') {
    return new ApiError('unsupported_media_type', 'The body has an unsupported encoding.');
  }
  return fault('invalid_json', 'The body is not valid JSON.');
}

/** Iterative, because a body may be nested deeper than the stack. */
function cleanse(body: unknown): void {
  const open: [container: unknown, path: string, depth: number][] = [[body, '', 0]];
  for (let entry = open.pop(); entry; entry = open.pop()) {
    const [container, path, depth] = entry;
    if (!isContainer(container)) continue;
    if (depth >= MAX_DEPTH) throw fault('too_deep', `The body is nested deeper than ${MAX_DEPTH} levels.`);
    for (const [name, value] of Object.entries(container)) {
      if (isContainer(value)) open.push([value, jsonPointer(path, name), depth + 1]);
      if (Array.isArray(container)) continue;
      if (isInherited(name)) throw invalidRequest([unknownName('body', jsonPointer(path, name))]);
      if (value === null) delete container[name];
    }
  }
}

function isContainer(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function fault(code: string, message: string): ApiError {
  return invalidRequest([{ in: 'body', path: '', code, message }]);
}
