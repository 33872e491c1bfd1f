import { Controller, Get, Header, Param, Redirect, Res, type OnModuleInit } from '@nestjs/common';
import type { Response } from 'express';
import { Public } from '../../access/auth';
import { DeprecationsService } from '../../access/deprecation';
import { notFoundError } from '../../common/errors';
import { SkipValidation, Produces } from '../../common/http';
import { Config } from '../../core/config';
import { loadDocsAssets } from './docs-assets';
import { renderGuide, renderReferencePage } from './docs-pages';

/** Allows resources from this service only. Swagger UI's styles need `data:` images. */
const DOCS_CSP =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** Serves the guide and the API reference at `/docs` (docs/protocol/external-api.md#documentation). */
@Controller('docs')
export class DocsController implements OnModuleInit {
  private guide: ReadonlyMap<string, string> = new Map();
  private readonly reference = renderReferencePage();
  private readonly assets = loadDocsAssets();

  constructor(
    private readonly config: Config,
    private readonly deprecations: DeprecationsService,
  ) {}

  onModuleInit(): void {
    this.guide = renderGuide(this.config.publicUrl, this.deprecations.listDeprecations());
  }

  @Get()
  @Redirect('/docs/getting-started', 302)
  @Produces('text/html')
  @Public()
  redirectToGettingStarted(): void {}

  @Get('reference')
  @Header('Content-Type', 'text/html; charset=utf-8')
  @Header('Content-Security-Policy', DOCS_CSP)
  @Header('Cache-Control', 'public, max-age=300')
  @Produces('text/html')
  @Public()
  getReferencePage(): string {
    return this.reference;
  }

  @Get('assets/:name')
  @Header('Cache-Control', 'public, max-age=3600')
  @SkipValidation()
  @Public()
  getAsset(@Param('name') name: string, @Res() response: Response): void {
    const asset = this.assets.get(name);
    if (!asset) throw notFoundError('file');
    response.set({ 'Content-Type': asset.type, ETag: asset.etag }).send(asset.content);
  }

  @Get(':page')
  @Header('Content-Type', 'text/html; charset=utf-8')
  @Header('Content-Security-Policy', DOCS_CSP)
  @Header('Cache-Control', 'public, max-age=300')
  @Produces('text/html')
  @Public()
  getGuidePage(@Param('page') slug: string): string {
    const page = this.guide.get(slug);
    if (!page) throw notFoundError('page');
    return page;
  }
}
