import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { deflateSync, gzipSync } from 'node:zlib';
import { Body, Controller, Get, Post, Query, type ExecutionContext } from '@nestjs/common';
import { ExecutionContextHost } from '@nestjs/core/helpers/execution-context-host';
import { Test } from '@nestjs/testing';
import { IsInt, IsOptional, IsString } from 'class-validator';
import express, { type Request, type Response } from 'express';
import type { ApiError, RequestViolation } from '../errors';
import { QueryInteger } from './query-fields';
import { RequestValidationGuard } from './request-validation.guard';
import { MaxBodyBytes, Produces, PUBLIC_BODY_LIMITS, PublicBodyLimits, SkipValidation } from './route-contract';

const MAX_BYTES = 200;

class ItemBodyDto {
  @IsString()
  name!: string;

  @IsOptional()
  @IsInt()
  count?: number;
}

class ItemQueryDto {
  @QueryInteger(1, 10)
  limit?: number;
}

@Controller()
class ItemsController {
  @Post()
  @MaxBodyBytes(MAX_BYTES)
  create(this: void, @Body() _body: ItemBodyDto, @Query() _query: ItemQueryDto): void {}

  @Post()
  @PublicBodyLimits()
  signUp(this: void, @Body() _body: ItemBodyDto): void {}

  @Get()
  @Produces('text/html')
  read(this: void): void {}

  @Post()
  @SkipValidation()
  submit(this: void): void {}
}

interface TestRequest {
  method?: string;
  headers?: Record<string, string>;
  text?: string | Buffer;
  /** Whether the length of the body is not declared. */
  isChunked?: boolean;
  query?: object;
}

const JSON_HEADERS = { 'content-type': 'application/json' };
const bodyOfBytes = (bytes: number) => JSON.stringify({ name: 'a'.repeat(bytes - '{"name":""}'.length) });

/** Request that reads its body from memory. */
function createRequest({ method = 'POST', headers = {}, text, isChunked = false, query = {} }: TestRequest): Request {
  const length = text === undefined ? {} : { 'content-length': String(Buffer.byteLength(text)) };
  const framing = isChunked ? { 'transfer-encoding': 'chunked' } : length;
  const request = Object.setPrototypeOf(new IncomingMessage(new Socket()), express.request) as Request;
  if (text !== undefined) request.push(text);
  request.push(null);
  Object.defineProperty(request, 'query', { value: query, configurable: true });
  return Object.assign(request, { method, headers: { ...framing, ...headers }, params: {} });
}

describe('RequestValidationGuard', () => {
  let guard: RequestValidationGuard;
  beforeAll(async () => {
    const module = await Test.createTestingModule({ providers: [RequestValidationGuard] }).compile();
    guard = module.get(RequestValidationGuard);
  });

  const check = async (handler: keyof ItemsController, testRequest: TestRequest) => {
    const request = createRequest(testRequest);
    const context: ExecutionContext = new ExecutionContextHost(
      [request, {} as Response],
      ItemsController,
      ItemsController.prototype[handler],
    );
    await guard.canActivate(context);
    return request;
  };
  const findError = (handler: keyof ItemsController, request: TestRequest) =>
    check(handler, request).then(
      () => null,
      (error: ApiError) => error,
    );
  const post = (text: string | Buffer, headers: Record<string, string> = {}) => ({
    text,
    headers: { ...JSON_HEADERS, ...headers },
  });

  it('replaces body and query by instances of their DTOs', async () => {
    const { body, query } = await check('create', { ...post('{"name":"a","count":2}'), query: { limit: '3' } });
    expect(body).toEqual({ name: 'a', count: 2 });
    expect(body).toBeInstanceOf(ItemBodyDto);
    expect(query).toEqual({ limit: 3 });
    expect(query).toBeInstanceOf(ItemQueryDto);
  });

  it('treats a null member as omitted', async () => {
    expect((await check('create', post('{"name":"a","count":null}'))).body).toEqual({ name: 'a' });
    expect((await findError('create', post('{"name":null}')))?.code).toBe('invalid_request');
  });

  it('reports the violations of query and body together', async () => {
    const error = await findError('create', { ...post('{"count":"2","x":1}'), query: { limit: '11', y: '1' } });
    const violations = error?.extras.members?.errors as RequestViolation[];
    expect(violations.map(({ in: part, path, code }) => `${part} ${path} ${code}`).sort()).toEqual([
      'body /count invalid_type',
      'body /name required',
      'body /x unknown_field',
      'query /limit out_of_range',
      'query /y unknown_parameter',
    ]);
  });

  it.each([
    ['any media type', '*/*'],
    ['one of its media types', 'text/html;q=0.5'],
    ['a range of media types', 'text/*'],
  ])('answers a caller that accepts %s', async (_name, accept) => {
    expect(await findError('read', { method: 'GET', headers: { accept } })).toBeNull();
  });

  it.each(['application/json', 'text/plain', 'text/html;q=0'])('has nothing for a caller of %s', async (accept) => {
    const error = await findError('read', { method: 'GET', headers: { accept } });
    expect(error?.code).toBe('not_acceptable');
  });

  it.each(['GET', 'HEAD'])('does not read the body of %s', async (method) => {
    const request = { method, headers: JSON_HEADERS, text: 'not JSON' };
    expect(await findError('read', request)).toBeNull();
  });

  it('leaves the input of an excluded route to its handler', async () => {
    const { body } = await check('submit', { text: 'a=1', headers: { 'content-type': 'text/plain' } });
    expect(body).toBeUndefined();
  });

  describe('content type', () => {
    it.each([
      'application/json',
      'Application/JSON',
      'application/json; charset=utf-8',
      'application/json;charset="UTF-8"',
      'application/json;',
      'application/json ; ;; Charset = UTF8;',
      "application/json; charset='utf-8'",
      'application/json; charset="ut\\f-8"',
      'application/json; odata.metadata=minimal; version=1; strict',
      'application/json; note="a; charset=latin1, \\"b\\"; charset=latin1"; charset=utf-8',
    ])('may be %s', async (type) => {
      expect(await findError('create', post('{"name":"a"}', { 'content-type': type }))).toBeNull();
    });

    it.each([
      '',
      'text/plain',
      'application/x-www-form-urlencoded',
      'application/json-patch+json',
      'application/problem+json',
      'application/json; charset=latin1',
      'application/json; charset=utf-16',
      'application/json; charset=utf-8; charset=latin1',
      'application/json; note="a"; CHARSET="latin1"',
      'application/json; charset=',
      'application/json, application/json',
      '"application/json"',
      'text/plain, application/json',
    ])('must not be %j', async (type) => {
      const error = await findError('create', post('{"name":"a"}', { 'content-type': type }));
      expect(error?.code).toBe('unsupported_media_type');
    });

    it('is required for a body of unknown length', async () => {
      const error = await findError('create', { text: '{}', isChunked: true });
      expect(error?.code).toBe('unsupported_media_type');
    });

    it('is not required without a body', async () => {
      expect((await findError('create', {}))?.code).toBe('invalid_request');
      expect((await findError('create', { headers: { 'content-length': '0' } }))?.code).toBe('invalid_request');
    });
  });

  describe('size of the body', () => {
    it.each([
      { name: 'a byte below the limit', bytes: MAX_BYTES - 1, code: undefined },
      { name: 'at the limit', bytes: MAX_BYTES, code: undefined },
      { name: 'a byte above the limit', bytes: MAX_BYTES + 1, code: 'payload_too_large' },
    ])('is limited as declared and as received: $name', async ({ bytes, code }) => {
      const text = bodyOfBytes(bytes);
      expect((await findError('create', post(text)))?.code).toBe(code);
      expect((await findError('create', { ...post(text), isChunked: true }))?.code).toBe(code);
    });

    it.each([
      { name: 'at the limit', bytes: MAX_BYTES, code: undefined },
      { name: 'a byte above the limit', bytes: MAX_BYTES + 1, code: 'payload_too_large' },
    ])('is limited after decompression: $name', async ({ bytes, code }) => {
      const compressed = gzipSync(bodyOfBytes(bytes));
      expect(compressed.length).toBeLessThan(MAX_BYTES);
      expect((await findError('create', post(compressed, { 'content-encoding': 'gzip' })))?.code).toBe(code);
    });

    it('closes the connection of a body that is too large, since the rest is not read', async () => {
      const error = await findError('create', post(bodyOfBytes(MAX_BYTES + 1)));
      expect(error?.extras.headers).toEqual({ Connection: 'close' });
    });

    it('is checked after the content type, and before the fields', async () => {
      const text = JSON.stringify({ x: 'a'.repeat(MAX_BYTES) });
      const plain = { 'content-type': 'text/plain' };
      expect((await findError('create', post(text, plain)))?.code).toBe('unsupported_media_type');
      expect((await findError('create', post(text)))?.code).toBe('payload_too_large');
    });
  });

  describe('compression', () => {
    it.each([
      ['gzip', gzipSync('{"name":"a"}')],
      ['deflate', deflateSync('{"name":"a"}')],
    ])('may be %s', async (encoding, text) => {
      expect(await findError('create', post(text, { 'content-encoding': encoding }))).toBeNull();
    });

    it('must not be of another kind, and is not accepted without a credential', async () => {
      const text = gzipSync('{}');
      const unknown = await findError('create', post(text, { 'content-encoding': 'zstd' }));
      expect(unknown?.detail).toBe('The body has an unsupported encoding.');
      const anonymous = await findError('signUp', post(text, { 'content-encoding': 'gzip' }));
      expect(anonymous?.detail).toBe('The body must not be compressed.');
      expect([unknown?.code, anonymous?.code]).toEqual(['unsupported_media_type', 'unsupported_media_type']);
    });
  });

  describe('JSON', () => {
    const nest = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
    const findViolation = async (handler: keyof ItemsController, text: string) =>
      ((await findError(handler, post(text)))?.extras.members?.errors as RequestViolation[] | undefined)?.[0]?.code;

    it.each([
      ['cut off', '{"name":"a"', 'invalid_json'],
      ['two documents', '{}{}', 'invalid_json'],
      ['an array', '[]', 'invalid_type'],
      ['a string', '"a"', 'invalid_type'],
      ['null', 'null', 'invalid_type'],
      ['a name that every object inherits', '{"__proto__":{}}', 'unknown_field'],
      ['such a name inside of a member', '{"name":{"constructor":1}}', 'unknown_field'],
      ['a name that is given twice', '{"name":"a","name":"b"}', 'repeated_member'],
      ['such a name in other spelling', '{"name":"a","n\\u0061me":null}', 'repeated_member'],
      ['half of a surrogate pair', '{"name":"\\ud83d"}', 'invalid_format'],
      ['U+0000', '{"name":"\\u0000"}', 'invalid_format'],
    ])('is rejected: %s', async (_name, text, code) => {
      expect(await findViolation('create', text)).toBe(code);
    });

    it.each([
      { name: 'at the limit', depth: PUBLIC_BODY_LIMITS.depth, code: 'unknown_field' },
      { name: 'one level above', depth: PUBLIC_BODY_LIMITS.depth + 1, code: 'too_deep' },
    ])('is limited in depth: $name', async ({ depth, code }) => {
      expect(await findViolation('create', `{"x":${nest(depth - 1)}}`)).toBe(code);
    });

    it.each([
      { name: 'at the limit', entries: PUBLIC_BODY_LIMITS.entries, code: 'unknown_field' },
      { name: 'one element above', entries: PUBLIC_BODY_LIMITS.entries + 1, code: 'too_many_members' },
    ])('is limited in members and elements together: $name', async ({ entries, code }) => {
      const elements = Array.from({ length: entries - 1 }, () => 1);
      expect(await findViolation('signUp', JSON.stringify({ x: elements }))).toBe(code);
    });
  });

  it('replaces NUL in path parameters, which PostgreSQL cannot store', async () => {
    const request = createRequest({ method: 'GET' });
    request.params = { id: 'ses\0_1' };
    const context = new ExecutionContextHost([request, {}], ItemsController, ItemsController.prototype.read);
    request.headers.accept = 'text/html';
    await guard.canActivate(context);
    expect(request.params.id).toBe('ses\ufffd_1');
  });
});
