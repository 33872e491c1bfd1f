import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Injectable } from '@nestjs/common';
import { ApiError } from '../../common/errors';
import { PROJECT_ROOT } from '../../common/project-root';

/** A package as `tools/build/packages.mjs` describes it. */
export interface PackageDescription {
  name: string;
  version: string;
  description: string;
  /** Name of the tarball below `/packages`. */
  file: string;
  /** Bytes of the tarball. */
  size: number;
  /** Digest of the tarball in hexadecimal. */
  sha256: string;
  /** The same for npm: `sha512-` and a digest in base64 (Subresource Integrity). */
  integrity: string;
  /** Versions of Node.js, as in `engines`. */
  node: string;
}

export type PackageName = 'device' | 'client' | 'mcp';
export type PackageDescriptions = Record<PackageName, PackageDescription>;

/** What an instance hands out: read at once, so that digests and tarballs belong to the same build. */
export interface PackageSet {
  descriptions: PackageDescriptions;
  /** Tarballs by the name of their file. */
  tarballs: ReadonlyMap<string, Buffer>;
}

const TARBALLS_FOLDER = join(PROJECT_ROOT, 'dist', 'tarballs');

/** The packages of the build, in memory from their first use on. */
@Injectable()
export class PackageStore {
  private packageSet: PackageSet | undefined;

  constructor(private readonly folder = TARBALLS_FOLDER) {}

  /** @throws ApiError 404 `not_found` in an instance without packages, such as one that runs single files */
  getPackages(): PackageSet {
    this.packageSet ??= readPackages(this.folder);
    if (!this.packageSet)
      throw new ApiError('not_found', 'This service was built without packages. Its operator can run "npm run build".');
    return this.packageSet;
  }
}

/** Returns undefined without a complete build. A build writes the index last. */
function readPackages(folder: string): PackageSet | undefined {
  const indexFile = join(folder, 'index.json');
  if (!existsSync(indexFile)) return undefined;
  const descriptions = JSON.parse(readFileSync(indexFile, 'utf8')) as PackageDescriptions;
  const tarballs = new Map<string, Buffer>();
  for (const { file, sha256 } of Object.values(descriptions)) {
    const path = join(folder, file);
    if (!existsSync(path)) return undefined;
    const content = readFileSync(path);
    // A build of another checkout state may be replacing it at this moment.
    if (createHash('sha256').update(content).digest('hex') !== sha256) return undefined;
    tarballs.set(file, content);
  }
  return { descriptions, tarballs };
}
