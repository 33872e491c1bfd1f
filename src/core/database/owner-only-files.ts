import { chmodSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Logger } from '@nestjs/common';
import { NodeFS } from '@electric-sql/pglite/nodefs';

/** Permission bits of group and others. */
const OTHERS_PERMISSION_BITS = 0o077;

type NodeFsInit = NodeFS['init'];

/** The two functions of Emscripten's file system that set the mode of a file. */
interface EmscriptenFileSystem {
  node_ops: { mknod: (parent: unknown, name: string, mode: number, device: unknown) => unknown };
  doSetAttr: (file: unknown, node: unknown, attributes: { mode?: number }, ...more: unknown[]) => void;
}

/**
 * File system of PGlite whose files only their owner may access; by default, PGlite gives access to everybody. The
 * umask is not an option: it applies to the whole process, and PGlite overrides it after it has created a file.
 */
export class OwnerOnlyFileSystem extends NodeFS {
  override init(...[pglite, options]: Parameters<NodeFsInit>): ReturnType<NodeFsInit> {
    const restrict = (module: object) => restrictModes((module as { NODEFS: EmscriptenFileSystem }).NODEFS);
    return super.init(pglite, { ...options, preRun: [...(options.preRun ?? []), restrict] });
  }
}

function restrictModes(files: EmscriptenFileSystem): void {
  const { doSetAttr } = files;
  const { mknod } = files.node_ops;
  files.node_ops.mknod = (parent, name, mode, device) => mknod(parent, name, mode & ~OTHERS_PERMISSION_BITS, device);
  files.doSetAttr = (file, node, attributes, ...more) => {
    const { mode } = attributes;
    const restricted = mode === undefined ? attributes : { ...attributes, mode: mode & ~OTHERS_PERMISSION_BITS };
    doSetAttr(file, node, restricted, ...more);
  };
}

/**
 * Creates the folder of the database for its owner only, or removes the permissions that an earlier release or a copy
 * gave to others. Restricts the folder first, so that its files are inaccessible meanwhile.
 */
export function restrictToOwner(files: string): void {
  mkdirSync(files, { recursive: true });
  chmodSync(files, 0o700);
  for (const entry of readdirSync(files, { recursive: true, withFileTypes: true })) {
    if (entry.isSymbolicLink()) continue;
    chmodSync(join(entry.parentPath, entry.name), entry.isDirectory() ? 0o700 : 0o600);
  }
}

/** Only warns: the operator may have opened the data folder to others on purpose. */
export function warnIfAccessibleToOthers(dataDir: string): void {
  if ((statSync(dataDir).mode & OTHERS_PERMISSION_BITS) === 0) return;
  new Logger('Database').warn({ dataDir }, 'DATA_DIR is accessible to other users; set its mode to 0700');
}
