import { Controller, Get, Header, Param, Redirect, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { Public } from '../../access/auth';
import { ApiError, notFoundError } from '../../common/errors';
import { compressResponse, Produces, SkipValidation } from '../../common/http';
import { getDocsAssetStore } from './site/docs-assets';
import { DocsPageService } from './site/docs-page.service';
import { DOCS_PATH, FIRST_PAGE_PATH } from './site/page-catalog';
import { setDocsPageHeaders } from './docs-error-handler';

const MARKDOWN = 'text/markdown';
const MARKDOWN_TYPE = `${MARKDOWN}; charset=utf-8`;
const CACHE_PUBLICLY = 'public, max-age=300';

/** Serves the guide, the protocol and the API reference at `/docs` (docs/protocol/external-api.md#documentation). */
@Controller('docs')
export class DocsController {
  constructor(private readonly docsPageService: DocsPageService) {}

  @Get()
  @Redirect(FIRST_PAGE_PATH, 302)
  @Produces('text/html')
  @Public()
  redirectToGettingStarted(): void {}

  @Get('search.json')
  @Header('Content-Type', 'application/json; charset=utf-8')
  @Header('Cache-Control', CACHE_PUBLICLY)
  @Public()
  getSearchIndex(): string {
    return this.docsPageService.getSearchIndex();
  }

  @Get('assets/:version/*path')
  @SkipValidation()
  @Public()
  getAsset(@Param('version') version: string, @Param('path') path: string[], @Res() response: Response): void {
    getDocsAssetStore().sendAsset(response, version, path.join('/'));
  }

  /**
   * A path of one to three segments. With `.md` behind it, or on request, the page is Markdown. A page that doesn't
   * exist is 404 for every media type, so the handler looks for it before it negotiates.
   */
  @Get([':page', ':section/:page', ':section/:group/:page'])
  @SkipValidation()
  @Public()
  getPage(@Req() request: Request, @Res() response: Response): void {
    const { section, group, page } = request.params as Record<string, string>;
    const path = [DOCS_PATH, section, group, page].filter((part) => part !== undefined).join('/');
    response.vary('Accept');
    compressResponse(response);
    if (path.endsWith('.md')) {
      this.sendMarkdown(request, response, path.slice(0, -'.md'.length), [MARKDOWN, 'text/plain']);
      return;
    }
    const html = this.docsPageService.getPage(path);
    if (html === undefined) throw notFoundError('page');
    if (request.accepts(['text/html', MARKDOWN]) === 'text/html') {
      setDocsPageHeaders(response);
      response.set('Cache-Control', CACHE_PUBLICLY).send(html);
    } else this.sendMarkdown(request, response, path, ['text/html', MARKDOWN]);
  }

  private sendMarkdown(request: Request, response: Response, path: string, types: string[]): void {
    const markdown = this.docsPageService.getMarkdown(path);
    if (markdown === undefined) throw notFoundError('page');
    if (!request.accepts(types))
      throw new ApiError('not_acceptable', `This page is available as ${types.join(' or ')}.`);
    response.set({ 'Content-Type': MARKDOWN_TYPE, 'Cache-Control': CACHE_PUBLICLY }).send(markdown);
  }
}

/** Serves the list of pages for language models at the root of the host. */
@Controller('llms.txt')
export class PageListController {
  constructor(private readonly docsPageService: DocsPageService) {}

  @Get()
  @Header('Content-Type', MARKDOWN_TYPE)
  @Header('Cache-Control', CACHE_PUBLICLY)
  @Produces(MARKDOWN, 'text/plain')
  @Public()
  getPageList(): string {
    return this.docsPageService.getPageList();
  }
}
