import { CallHandler, ExecutionContext, Injectable, NestInterceptor } from '@nestjs/common';
import type { Request, Response } from 'express';
import { map, type Observable } from 'rxjs';
import { CsrfTokenService, HeldRequestGuard, rejectCrossSiteRequest } from '../../../access/auth';
import { forbiddenError } from '../../../common/errors';
import { ViewerResolver } from '../login/viewer-resolver';
import { CSRF_FIELD } from './form';
import { HtmlPage, SeeOther } from './html-page';
import { setPageHeaders } from './page-headers';
import { isSafeMethod, readPageInput } from './page-input';
import { getFormField, type FormFields } from './read-page-form';
import { renderConsolePage } from './render-console-page';

/** Resolves the viewer, verifies the CSRF token and renders the HTML of console handlers. */
@Injectable()
export class PageInterceptor implements NestInterceptor {
  constructor(
    private readonly viewerResolver: ViewerResolver,
    private readonly csrfTokens: CsrfTokenService,
    private readonly heldRequestGuard: HeldRequestGuard,
  ) {}

  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<string>> {
    const request = context.switchToHttp().getRequest<Request>();
    const response = context.switchToHttp().getResponse<Response>();
    await readPageInput(context);
    // The guard has run before the form was read.
    await this.heldRequestGuard.canActivate(context);
    request.viewer = await this.viewerResolver.resolveViewer(request);
    if (!isSafeMethod(request)) this.verifyCsrfToken(request);
    return next.handle().pipe(map((answer) => renderAnswer(answer, request, response)));
  }

  /** @throws ApiError 403 for a form of another browser login */
  private verifyCsrfToken(request: Request): void {
    rejectCrossSiteRequest(request);
    const token = getFormField(request.body as FormFields, CSRF_FIELD);
    if (!request.viewer || !this.csrfTokens.isValidToken(token, request.viewer.loginId)) {
      throw forbiddenError('This form belongs to another login or is too old. Go back, reload the page and try again.');
    }
  }
}

function renderAnswer(answer: unknown, request: Request, response: Response): string {
  if (answer instanceof SeeOther) {
    response.status(303).set({ Location: answer.location, 'Cache-Control': 'no-store' });
    return '';
  }
  if (!(answer instanceof HtmlPage)) throw new Error(`${request.method} ${request.path} did not return a page.`);
  setPageHeaders(response, answer.options);
  response.status(answer.options.status ?? 200);
  return renderConsolePage(answer, request.viewer ?? null, request.path);
}
