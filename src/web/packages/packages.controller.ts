import { createHash } from 'node:crypto';
import { Controller, Get, Param, Res } from '@nestjs/common';
import type { Response } from 'express';
import { Public } from '../../access/auth';
import { RateLimit } from '../../access/rate-limiting';
import { notFoundError } from '../../common/errors';
import { SkipValidation } from '../../common/http';
import { Config } from '../../core/config';
import { PackageStore } from './package-store';

/** Caches ask each time, because digests, tarballs and script of different releases don't fit. */
const REVALIDATE = 'public, no-cache';

/** Serves the packages of the device, the client and the MCP server (docs/protocol/external-api.md#packages). */
@Controller('packages')
export class PackagesController {
  constructor(
    private readonly packageStore: PackageStore,
    private readonly config: Config,
  ) {}

  /** `index.json`, or a tarball. @throws ApiError 404 for another name, and in a service without packages */
  @Get(':file')
  @SkipValidation()
  @Public()
  @RateLimit('packages', 'address')
  getFile(@Param('file') file: string, @Res() response: Response): void {
    const { descriptions, tarballs } = this.packageStore.getPackages();
    if (file === 'index.json') {
      sendFile(response, 'application/json; charset=utf-8', JSON.stringify(this.buildIndex(), null, 2));
      return;
    }
    const content = tarballs.get(file);
    const description = Object.values(descriptions).find((one) => one.file === file);
    if (!content || !description) throw notFoundError('package');
    response.attachment(`${description.name.slice(1).replace('/', '-')}-${description.version}.tgz`);
    // Without a content coding: the tarball itself is the compressed form.
    sendFile(response, 'application/gzip', content, description.sha256);
  }

  private buildIndex() {
    const { descriptions } = this.packageStore.getPackages();
    const entries = Object.entries(descriptions).map(([name, description]) => {
      return [name, { ...description, url: `${this.config.publicUrl}/packages/${description.file}` }];
    });
    return { packages: Object.fromEntries(entries) as object };
  }
}

/** Sends the response, or 304 if the caller has it. */
export function sendFile(response: Response, type: string, content: string | Buffer, sha256 = hashText(content)): void {
  response.set({ 'Content-Type': type, 'Cache-Control': REVALIDATE, ETag: `"${sha256}"` }).send(content);
}

function hashText(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}
