import { Controller, Get, Header, Param, Redirect, Res } from '@nestjs/common';
import type { Response } from 'express';
import { Public } from '../auth';
import { notFound } from '../common/errors';
import { Config } from '../config';
import { loadAssets } from './assets';
import { renderGuide } from './guide';
import { referencePage } from './page';

/** Nothing but what this service serves itself; the reference's own styles need `data:` images. */
const PAGE_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** The documentation for people, at `/docs` (external-api.md §4). */
@Controller('docs')
export class DocsController {
  private readonly guide: Map<string, string>;
  private readonly reference = referencePage();
  private readonly assets = loadAssets();

  constructor({ publicUrl }: Config) {
    this.guide = renderGuide(publicUrl);
  }

  @Get()
  @Redirect('/docs/getting-started', 302)
  @Public()
  start(): void {}

  @Get('reference')
  @Header('Content-Type', 'text/html; charset=utf-8')
  @Header('Content-Security-Policy', PAGE_POLICY)
  @Header('Cache-Control', 'public, max-age=300')
  @Public()
  showReference(): string {
    return this.reference;
  }

  @Get('assets/:name')
  @Header('Cache-Control', 'public, max-age=3600')
  @Public()
  asset(@Param('name') name: string, @Res() response: Response): void {
    const found = this.assets.get(name);
    if (!found) throw notFound('file');
    response.set({ 'Content-Type': found.type, ETag: found.etag }).send(found.content);
  }

  @Get(':page')
  @Header('Content-Type', 'text/html; charset=utf-8')
  @Header('Content-Security-Policy', PAGE_POLICY)
  @Header('Cache-Control', 'public, max-age=300')
  @Public()
  page(@Param('page') slug: string): string {
    const page = this.guide.get(slug);
    if (!page) throw notFound('page');
    return page;
  }
}
