import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { Logger } from '@nestjs/common';
import { ExecutionContextHost } from '@nestjs/core/helpers/execution-context-host';
import express, { type Response } from 'express';
import { ApiError } from '../../../common/errors';
import { DatabaseConnectionError } from '../../../core/database';
import { UnsafeRedirectError } from './authorization.service';
import { OAuthErrorPageFilter } from './oauth-error-page.filter';

describe('the error page of an authorization request', () => {
  beforeEach(() => {
    for (const level of ['warn', 'error'] as const) jest.spyOn(Logger.prototype, level).mockReturnValue();
  });
  afterEach(() => jest.restoreAllMocks());

  const present = (thrown: unknown) => {
    const request = Object.assign(new IncomingMessage(new Socket()), { id: 'req_1' });
    const response = Object.setPrototypeOf(new ServerResponse(request), express.response) as Response;
    const end = jest.spyOn(response, 'end');
    new OAuthErrorPageFilter().catch(thrown, new ExecutionContextHost([request, response]));
    return { status: response.statusCode, headers: response.getHeaders(), html: String(end.mock.calls[0]![0]) };
  };
  const readOnly = new ApiError('read_only', 'Maintenance.', { headers: { 'Retry-After': '30' } });
  const unread = new ApiError('service_unavailable', 'Read.', { headers: { 'Retry-After': '1' } });
  const limited = new ApiError('rate_limited', 'Too many.', { headers: { 'Retry-After': '12' } });

  it.each<[string, unknown, number, string | undefined, string]>([
    ['an unavailable database', new DatabaseConnectionError(new Error('down')), 503, '5', 'Not available now'],
    ['read-only mode', readOnly, 503, '30', 'Under maintenance'],
    ['too many unread bytes', unread, 503, '1', 'Not available now'],
    ['too many requests', limited, 429, '12', 'Too many requests'],
    ['an unsafe redirect', new UnsafeRedirectError('client_id is missing.'), 400, undefined, 'does not work'],
    ['an unexpected error', new Error('a secret'), 500, undefined, 'Something went wrong here'],
  ])('says what %s means, and when to try again', (_, thrown, status, retryAfter, title) => {
    const { headers, html, ...page } = present(thrown);
    expect([page.status, headers['retry-after']]).toEqual([status, retryAfter]);
    expect(html).toContain(title);
    expect(html).toContain('req_1');
    expect(html).not.toContain('a secret');
    expect(headers).toMatchObject({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' });
  });
});
