import { CallHandler, ExecutionContext, Injectable, NestInterceptor } from '@nestjs/common';
import type { Request, Response } from 'express';
import { map, type Observable } from 'rxjs';
import { forbidden } from '../../common/errors';
import { CsrfTokens } from '../session/csrf-tokens';
import { requireSameSite } from '../session/same-site';
import { Viewers } from '../session/viewers';
import { CSRF_FIELD } from './form';
import { Page, SeeOther } from './page';
import { setPageHeaders } from './page-headers';
import { isSafe, readPageInput } from './page-input';
import { fieldOf, type FormFields } from './read-form';
import { renderPage } from './render';

/** Around every handler that answers with a page: who looks, whether a form is of this session, and the HTML. */
@Injectable()
export class PageInterceptor implements NestInterceptor {
  constructor(
    private readonly viewers: Viewers,
    private readonly csrf: CsrfTokens,
  ) {}

  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<string>> {
    const request = context.switchToHttp().getRequest<Request>();
    const response = context.switchToHttp().getResponse<Response>();
    await readPageInput(context);
    request.viewer = await this.viewers.of(request);
    if (!isSafe(request)) this.requireOwnForm(request);
    return next.handle().pipe(map((answer) => present(answer, request, response)));
  }

  /** @throws ApiError 403 for a form that this session was not given */
  private requireOwnForm(request: Request): void {
    requireSameSite(request);
    const token = fieldOf(request.body as FormFields, CSRF_FIELD);
    if (!request.viewer || !this.csrf.isGood(token, request.viewer.session)) {
      throw forbidden('This form is not from this session, or is too old. Go back, reload the page and try again.');
    }
  }
}

function present(answer: unknown, request: Request, response: Response): string {
  if (answer instanceof SeeOther) {
    response.status(303).set({ Location: answer.location, 'Cache-Control': 'no-store' });
    return '';
  }
  if (!(answer instanceof Page)) throw new Error(`${request.method} ${request.path} answers with no page.`);
  setPageHeaders(response, answer.options.formAction);
  response.status(answer.options.status ?? 200);
  return renderPage(answer, request.viewer ?? null, request.path);
}
