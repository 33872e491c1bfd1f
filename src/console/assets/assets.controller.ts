import { Controller, Get, Param, Res } from '@nestjs/common';
import type { Response } from 'express';
import { Public } from '../../auth';
import { notFound } from '../../common/errors';
import { assets } from './asset-store';

const YEAR_SECONDS = 31_536_000;

/** Stylesheet and browser modules (console.md): from here, so that pages work without any other host. */
@Controller('console/assets')
export class AssetsController {
  @Get(':version/*path')
  @Public()
  asset(@Param('version') version: string, @Param('path') path: string[], @Res() response: Response): void {
    const found = assets().get(path.join('/'));
    if (!found) throw notFound('file');
    // During an update a page of one version may load from an instance of another.
    const cache = version === assets().version ? `public, max-age=${YEAR_SECONDS}, immutable` : 'no-cache';
    response.set({ 'Content-Type': found.type, 'Cache-Control': cache }).send(found.content);
  }
}
