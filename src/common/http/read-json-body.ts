import { isUtf8 } from 'node:buffer';
import { raw, type Request, type Response } from 'express';
import { ApiError, invalidRequestError, type RequestViolation } from '../errors';
import type { BodyLimits } from './route-contract';
import { measureJson } from './json-limits';
import { isUtf8MediaType } from './media-type';
import { parseBody, type BodyParserError, type BodyParser } from './parse-body';
import { findTextViolation } from './text-violations';
import { isInheritedName, appendJsonPointer, unknownNameViolation } from './unknown-name';

const parsersByLimits = new WeakMap<BodyLimits, BodyParser>();

/** A parsed body, and its texts that can't be carried unchanged. */
export interface JsonBody {
  value: unknown;
  textViolations: RequestViolation[];
}

/**
 * Reads and parses the body. Drops null members: null means that the field is omitted.
 * @param nulFields names of the root's members that may contain U+0000
 * @throws ApiError `unsupported_media_type`, `payload_too_large` or `invalid_request`, checked in this order
 */
export async function readJsonBody(
  request: Request,
  response: Response,
  limits: BodyLimits,
  nulFields: ReadonlySet<string>,
): Promise<JsonBody> {
  if (!hasBody(request)) return { value: {}, textViolations: [] };
  requireJsonContentType(request);
  const bytes = await readBytes(request, response, limits);
  if (bytes.length === 0) return { value: {}, textViolations: [] };
  if (!isUtf8(bytes)) throw bodyViolationError('invalid_json', 'The body is not UTF-8.');
  const measured = measureJson(bytes, limits);
  if (typeof measured === 'string') throw limitError(measured, limits);
  const value = parseJson(bytes);
  const walk: BodyWalk = { entries: 0, nulFields, textViolations: [] };
  visitValue(value, '', walk);
  // A parser keeps only the last of several members of the same name.
  if (walk.entries !== measured) throw bodyViolationError('repeated_member', 'The body has a member more than once.');
  return { value, textViolations: walk.textViolations };
}

function hasBody(request: Request): boolean {
  const { 'content-length': length, 'transfer-encoding': chunked } = request.headers;
  return chunked !== undefined || (length !== undefined && length !== '0');
}

function requireJsonContentType(request: Request): void {
  if (!isUtf8MediaType(request.headers['content-type'] ?? '', 'application/json')) {
    throw new ApiError('unsupported_media_type', 'The body must be application/json in UTF-8.');
  }
}

async function readBytes(request: Request, response: Response, limits: BodyLimits): Promise<Buffer> {
  let parser = parsersByLimits.get(limits);
  if (!parser) {
    parser = raw({ limit: limits.bytes, inflate: limits.allowsCompression, type: () => true });
    parsersByLimits.set(limits, parser);
  }
  try {
    await parseBody(parser, request, response, limits.bytes);
  } catch (error) {
    throw toBodyError(error as BodyParserError, limits);
  }
  return request.body as Buffer;
}

function toBodyError({ type }: BodyParserError, { bytes, allowsCompression }: BodyLimits): ApiError {
  if (type === 'entity.too.large') {
    // The rest of the body is not read, so the connection can't be reused.
    return new ApiError('payload_too_large', `The body may have at most ${bytes} bytes.`, {
      headers: { Connection: 'close' },
    });
  }
  if (type === 'encoding.unsupported') {
    const reason = allowsCompression ? 'The body has an unsupported encoding.' : 'The body must not be compressed.';
    return new ApiError('unsupported_media_type', reason);
  }
  return bodyViolationError('invalid_json', 'The body is not valid JSON.');
}

function limitError(exceeded: 'depth' | 'entries', { depth, entries }: BodyLimits): ApiError {
  if (exceeded === 'depth') return bodyViolationError('too_deep', `The body is nested deeper than ${depth} levels.`);
  return bodyViolationError('too_many_members', `The body may have at most ${entries} members and elements in total.`);
}

/** Ignores a byte order mark, as RFC 8259 §8.1 allows. */
function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString().replace(/^\ufeff/, ''));
  } catch {
    throw bodyViolationError('invalid_json', 'The body is not valid JSON.');
  }
}

interface BodyWalk {
  /** Members and elements so far. */
  entries: number;
  nulFields: ReadonlySet<string>;
  textViolations: RequestViolation[];
}

/** Drops null members, rejects names that class-validator silently ignores, and checks all texts. */
function visitValue(value: unknown, path: string, walk: BodyWalk): void {
  if (typeof value === 'string') collectText(value, path, walk.nulFields.has(path.slice(1)), walk);
  if (!isContainer(value)) return;
  for (const [name, member] of Object.entries(value)) {
    const memberPath = appendJsonPointer(path, name);
    walk.entries += 1;
    visitValue(member, memberPath, walk);
    if (Array.isArray(value)) continue;
    if (isInheritedName(name)) throw invalidRequestError([unknownNameViolation('body', memberPath)]);
    collectText(name, memberPath, false, walk);
    if (member === null) delete value[name];
  }
}

function collectText(text: string, path: string, allowsNul: boolean, { textViolations }: BodyWalk): void {
  const violation = findTextViolation('body', path, text, allowsNul);
  if (violation) textViolations.push(violation);
}

function isContainer(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function bodyViolationError(code: string, message: string): ApiError {
  return invalidRequestError([{ in: 'body', path: '', code, message }]);
}
