import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { Logger } from '@nestjs/common';
import { ExecutionContextHost } from '@nestjs/core/helpers/execution-context-host';
import express, { type Response } from 'express';
import { ApiError } from '../../../common/errors';
import { DatabaseConnectionError } from '../../../core/database';
import { InvalidGrantError } from './oauth-error';
import { OAuthErrorFilter } from './oauth-error.filter';

describe('an error of an OAuth endpoint', () => {
  beforeEach(() => {
    for (const level of ['warn', 'error'] as const) jest.spyOn(Logger.prototype, level).mockReturnValue();
  });
  afterEach(() => jest.restoreAllMocks());

  const present = (thrown: unknown) => {
    const request = Object.assign(new IncomingMessage(new Socket()), { id: 'req_1' });
    const response = Object.setPrototypeOf(new ServerResponse(request), express.response) as Response;
    const end = jest.spyOn(response, 'end');
    new OAuthErrorFilter().catch(thrown, new ExecutionContextHost([request, response]));
    const body = JSON.parse(String(end.mock.calls[0]![0])) as { error: string; error_description: string };
    return { status: response.statusCode, headers: response.getHeaders(), body };
  };

  it.each<[string, unknown, number, string | undefined, string]>([
    ['an unavailable database', new DatabaseConnectionError(new Error('down')), 503, '5', 'temporarily_unavailable'],
    ['read-only mode', new ApiError('read_only', 'Maintenance.'), 503, '5', 'temporarily_unavailable'],
    ['too many unread bytes', new ApiError('service_unavailable', 'Read.'), 503, '5', 'temporarily_unavailable'],
    ['an invalid grant', new InvalidGrantError('The code is used.'), 400, undefined, 'invalid_grant'],
    ['an unexpected error', new Error('a secret'), 500, undefined, 'server_error'],
  ])('says what %s means, and when to try again', (_, thrown, status, retryAfter, error) => {
    const { headers, body, ...response } = present(thrown);
    expect([response.status, headers['retry-after'], body.error]).toEqual([status, retryAfter, error]);
    expect(body.error_description).not.toContain('a secret');
    expect(headers).toMatchObject({ 'cache-control': 'no-store', pragma: 'no-cache' });
  });
});
