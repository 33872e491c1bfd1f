import { Controller, Get, Param, Res } from '@nestjs/common';
import type { Response } from 'express';
import { Public } from '../../../access/auth';
import { SkipValidation } from '../../../common/http';
import { getAssetStore } from './asset-store';

/** Serves the stylesheet and browser modules, so that pages need no other host (docs/guide/console.md). */
@Controller('console/assets')
export class AssetsController {
  @Get(':version/*path')
  @SkipValidation()
  @Public()
  getAsset(@Param('version') version: string, @Param('path') path: string[], @Res() response: Response): void {
    getAssetStore().sendAsset(response, version, path.join('/'));
  }
}
