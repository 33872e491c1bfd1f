import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import type { ApiError } from '../../common/errors';
import { compressResponse } from '../../common/http';
import { DocsPageService } from './site/docs-page.service';

/** Allows resources from this service only. */
const DOCS_CSP =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** Sets the headers of every page of the documentation. */
export function setDocsPageHeaders(response: Response): void {
  response.set({ 'Content-Type': 'text/html; charset=utf-8', 'Content-Security-Policy': DOCS_CSP });
}

/** Answers browsers with a page if a page under `/docs` doesn't exist. Others get a problem document. */
@Injectable()
export class DocsErrorHandler {
  constructor(private readonly docsPageService: DocsPageService) {}

  /** Returns false if the request is not for a page of the documentation. */
  handleError(error: ApiError, request: Request, response: Response): boolean {
    if (error.status !== 404 || !/^\/docs(\/|$)/i.test(request.path)) return false;
    if (request.accepts(['application/json', 'text/html']) !== 'text/html') return false;
    setDocsPageHeaders(response);
    compressResponse(response);
    response.vary('Accept').status(404).send(this.docsPageService.getNotFoundPage());
    return true;
  }
}
