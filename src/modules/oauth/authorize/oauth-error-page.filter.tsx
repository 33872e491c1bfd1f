import { createHash } from 'node:crypto';
import { ArgumentsHost, Catch, ExceptionFilter, Logger } from '@nestjs/common';
import type { Request, Response } from 'express';
import { ApiError } from '../../../common/errors';
import { BASE_STYLESHEET, HtmlLayout, renderDocument } from '../../../common/html';
import { abortStartedResponse, compressResponse } from '../../../common/http';
import { isDatabaseUnavailable } from '../../../core/database';
import { UnsafeRedirectError } from './authorization.service';

const STYLE_DIGEST = createHash('sha256').update(BASE_STYLESHEET).digest('base64');

/** Allows only the inline style of this page. Blocks frames, forms and scripts. */
const OAUTH_ERROR_PAGE_CSP = [
  "default-src 'none'",
  `style-src 'sha256-${STYLE_DIGEST}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Content of an error page. */
interface OAuthErrorPage {
  title: string;
  text: string;
  /** Technical detail for the app's developers. */
  detail?: string;
  requestId: string;
}

/**
 * Shows an error page when the redirect URI is not verified, so the error can't be sent to the app (RFC 6749 §3.1.2.4).
 */
@Catch()
export class OAuthErrorPageFilter implements ExceptionFilter {
  private readonly logger = new Logger('OAuth');

  catch(thrown: unknown, host: ArgumentsHost): void {
    const request = host.switchToHttp().getRequest<Request>();
    const response = host.switchToHttp().getResponse<Response>();
    if (abortStartedResponse(response)) return;
    const { status, headers, ...page } = this.toErrorPage(thrown, request);
    compressResponse(response);
    response
      .status(status)
      .set({
        'Content-Type': 'text/html; charset=utf-8',
        'Content-Security-Policy': OAUTH_ERROR_PAGE_CSP,
        'Cache-Control': 'no-store',
        'Referrer-Policy': 'no-referrer',
        ...headers,
      })
      .end(renderOAuthErrorPage({ ...page, requestId: request.id }));
  }

  private toErrorPage(
    thrown: unknown,
    request: Request,
  ): Omit<OAuthErrorPage, 'requestId'> & { status: number; headers?: Record<string, string> } {
    if (thrown instanceof UnsafeRedirectError) {
      return {
        status: 400,
        title: 'This sign-in link does not work',
        text: 'The app that sent you here made a mistake. Nothing was shared with it. Report this to its developers:',
        detail: thrown.message,
      };
    }
    if (thrown instanceof ApiError && thrown.status === 429) {
      const headers = thrown.extras.headers;
      return { status: 429, title: 'Too many requests', text: 'Wait a minute, then try again.', headers };
    }
    if (thrown instanceof ApiError && thrown.code === 'read_only') {
      const headers = thrown.extras.headers;
      return { status: 503, title: 'Under maintenance', text: 'Try again in a few minutes.', headers };
    }
    if (thrown instanceof ApiError && thrown.status === 503) {
      const headers = thrown.extras.headers;
      return { status: 503, title: 'Not available now', text: 'Try again in a moment.', headers };
    }
    if (isDatabaseUnavailable(thrown)) {
      const headers = { 'Retry-After': '5' };
      return { status: 503, title: 'Not available now', text: 'Try again in a moment.', headers };
    }
    this.logger.error({ requestId: request.id, err: thrown }, 'unexpected error');
    return { status: 500, title: 'Something went wrong here', text: 'Try again in a moment.' };
  }
}

/** The page brings its own styles: it works without a second request, even during an outage. */
function renderOAuthErrorPage({ title, text, detail, requestId }: OAuthErrorPage): string {
  return renderDocument(
    <HtmlLayout title={title} homePath="/" head={<style dangerouslySetInnerHTML={{ __html: BASE_STYLESHEET }} />}>
      <section class="card">
        <h1>{title}</h1>
        <p>{text}</p>
        {detail !== undefined && (
          <p>
            <code>{detail}</code>
          </p>
        )}
        <p class="fine">
          Request <code>{requestId}</code>
        </p>
      </section>
    </HtmlLayout>,
  );
}
