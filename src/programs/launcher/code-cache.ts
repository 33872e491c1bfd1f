import { createHash } from 'node:crypto';
import { accessSync, constants, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { cachedDataVersionTag } from 'node:v8';

const DIGEST_BYTES = 32;

/**
 * Files with V8's compiled code of one bundle, beside it: one for each version of Node.js, platform and set of V8
 * flags. A file starts with a digest of the bundle and of its own data, because V8 compares neither: it would run the
 * code of another bundle of the same length, and crash on a damaged file. No failure here is an error, since the cache
 * saves only time.
 */
export class CodeCache {
  private readonly folder: string;
  private readonly prefix: string;

  /**
   * @param bundleFile path of the bundle
   * @param source its content
   */
  constructor(
    bundleFile: string,
    private readonly source: Buffer,
  ) {
    this.folder = dirname(bundleFile);
    this.prefix = `${basename(bundleFile, '.js')}.${process.version}-${process.platform}-${process.arch}-`;
  }

  /** Returns the compiled code, or undefined if there is none for this bundle. V8 may still reject it. */
  readData(): Buffer | undefined {
    try {
      const names = readdirSync(this.folder).filter((name) => name.startsWith(this.prefix) && name.endsWith('.cache'));
      // An image may run on another kind of CPU than the one that built it, for which V8 accepts the same code.
      const name = names.includes(this.fileName) ? this.fileName : names[0];
      if (name === undefined) return undefined;
      const content = readFileSync(join(this.folder, name));
      const data = content.subarray(DIGEST_BYTES);
      return this.computeDigest(data).equals(content.subarray(0, DIGEST_BYTES)) ? data : undefined;
    } catch {
      return undefined;
    }
  }

  /** Writes what `createData` returns, which isn't called if the folder is read-only. */
  writeData(createData: () => Buffer): void {
    const file = join(this.folder, this.fileName);
    // Other processes may write the same file now, and this one may be killed meanwhile.
    const unfinished = `${file}.${process.pid}`;
    try {
      accessSync(this.folder, constants.W_OK);
      const data = createData();
      writeFileSync(unfinished, Buffer.concat([this.computeDigest(data), data]));
      renameSync(unfinished, file);
    } catch {
      removeFile(unfinished);
    }
  }

  /** The tag contains V8's flags and the features of the CPU. */
  private get fileName(): string {
    return `${this.prefix}${cachedDataVersionTag().toString(16)}.cache`;
  }

  private computeDigest(data: Buffer): Buffer {
    return createHash('sha256').update(this.source).update(data).digest();
  }
}

function removeFile(file: string): void {
  try {
    rmSync(file, { force: true });
  } catch {
    // The folder is read-only.
  }
}
