import { Get } from '@nestjs/common';
import { RequireScopes } from '../../../src/access/auth';
import { RateLimit, type BucketName } from '../../../src/access/rate-limiting';
import { Operation, type Route } from '../../../src/common/http';
import { readRouteFacts } from './operation-object';

function createRoute(bucket: BucketName): Route {
  class ReportsController {
    @Get()
    @RequireScopes('usage:read')
    @RateLimit(bucket, 'account')
    @Operation({
      id: 'getReport',
      tag: 'Usage',
      summary: 'Get a report',
      description: 'A report.',
      response: { kind: 'noContent' },
    })
    getReport(this: void): void {}
  }
  const handler = ReportsController.prototype.getReport;
  return { method: 'GET', path: '/external/v1/reports', controller: ReportsController, handler };
}

describe('readRouteFacts', () => {
  it('reads the bucket that the route declares', () => {
    expect(readRouteFacts(createRoute('relay')).bucket).toBe('relay');
  });

  it('refuses a bucket that the 429 responses of the document do not name', () => {
    expect(() => readRouteFacts(createRoute('pairing'))).toThrow('/external/v1/reports consumes from "pairing"');
  });
});
