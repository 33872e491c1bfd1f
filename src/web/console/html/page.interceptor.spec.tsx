import { ExecutionContextHost } from '@nestjs/core/helpers/execution-context-host';
import { Test } from '@nestjs/testing';
import { lastValueFrom, of } from 'rxjs';
import { CsrfTokenService, HeldRequestGuard } from '../../../access/auth';
import { ViewerResolver } from '../login/viewer-resolver';
import { HtmlPage, SeeOther } from './html-page';
import { PageInterceptor } from './page.interceptor';

class PageController {
  showPage(this: void) {}
}

describe('PageInterceptor', () => {
  const viewerResolver = { resolveViewer: jest.fn().mockResolvedValue(null) };
  const headers: Record<string, string> = {};
  const response = {
    statusCode: 0,
    status(code: number) {
      this.statusCode = code;
      return this;
    },
    set: (values: Record<string, string>) => Object.assign(headers, values),
  };
  let interceptor: PageInterceptor;

  beforeAll(async () => {
    const module = await Test.createTestingModule({
      providers: [
        PageInterceptor,
        { provide: ViewerResolver, useValue: viewerResolver },
        { provide: CsrfTokenService, useValue: {} },
        { provide: HeldRequestGuard, useValue: { canActivate: () => Promise.resolve(true) } },
      ],
    }).compile();
    interceptor = module.get(PageInterceptor);
  });
  beforeEach(() => {
    for (const name of Object.keys(headers)) delete headers[name];
  });

  const intercept = async (answer: unknown, accepts = true) => {
    const request = {
      method: 'GET',
      path: '/console',
      url: '/console',
      params: {},
      query: {},
      headers: {},
      accepts: () => accepts,
    };
    const context = new ExecutionContextHost([request, response], PageController, PageController.prototype.showPage);
    return lastValueFrom(await interceptor.intercept(context, { handle: () => of(answer) }));
  };

  it('renders the page of a handler, escaped and with a content security policy', async () => {
    const html = await intercept(new HtmlPage(<p>{'<script>'}</p>, { title: 'Home', status: 404 }));
    expect(html).toMatch(/^<!doctype html>\n<html/);
    expect(html).toContain('<p>&lt;script></p>');
    expect(response.statusCode).toBe(404);
    expect(headers['Content-Security-Policy']).toContain("default-src 'none'");
  });

  it('redirects with 303, which is not cached', async () => {
    expect(await intercept(new SeeOther('/console/sign-in'))).toBe('');
    expect(response.statusCode).toBe(303);
    expect(headers).toEqual({ Location: '/console/sign-in', 'Cache-Control': 'no-store' });
  });

  it('refuses clients that do not accept HTML, before the handler runs', async () => {
    await expect(intercept(new SeeOther('/'), false)).rejects.toMatchObject({ code: 'not_acceptable' });
  });

  it('fails when a handler returns anything else', async () => {
    await expect(intercept({ data: [] })).rejects.toThrow('did not return a page');
  });
});
