import { Controller, Get, Param, Res } from '@nestjs/common';
import type { Response } from 'express';
import { Public } from '../../../access/auth';
import { notFoundError } from '../../../common/errors';
import { SkipValidation } from '../../../common/http';
import { getAssetStore } from './asset-store';

const YEAR_SECONDS = 31_536_000;

/** Serves the stylesheet and browser modules, so that pages need no other host (docs/guide/console.md). */
@Controller('console/assets')
export class AssetsController {
  @Get(':version/*path')
  @SkipValidation()
  @Public()
  getAsset(@Param('version') version: string, @Param('path') path: string[], @Res() response: Response): void {
    const found = getAssetStore().getAsset(path.join('/'));
    if (!found) throw notFoundError('file');
    // During a rolling update, a page of one version may load assets from an instance of another.
    const cache = version === getAssetStore().version ? `public, max-age=${YEAR_SECONDS}, immutable` : 'no-cache';
    response.set({ 'Content-Type': found.type, 'Cache-Control': cache }).send(found.content);
  }
}
