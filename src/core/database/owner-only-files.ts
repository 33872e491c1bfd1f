import { chmodSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Logger } from '@nestjs/common';
import { NodeFS } from '@electric-sql/pglite/nodefs';

/** Permission bits of group and others. */
const OTHERS_PERMISSION_BITS = 0o077;

type NodeFsInit = NodeFS['init'];

/** Functions of Emscripten's file system on disk that create, open and restrict files. */
interface DiskFileSystem {
  node_ops: { mknod: (parent: unknown, name: string, mode: number, device: unknown) => unknown };
  stream_ops: { open: (stream: { fd: number }) => void };
  doSetAttr: (file: unknown, node: unknown, attributes: { mode?: number }, ...more: unknown[]) => void;
}

/** Emscripten's file system, which knows the files of all of its parts. */
interface EmscriptenFileSystem {
  open: (path: unknown, flags: unknown, mode?: number) => unknown;
  unlink: (path: unknown) => void;
  lookupNode: (parent: unknown, name: string) => object;
  destroyNode: (node: object) => void;
  closeStream: (fd: number) => void;
}

interface EmscriptenModule {
  FS: EmscriptenFileSystem;
  NODEFS: DiskFileSystem;
}

/** Flag and error number of Emscripten. */
const O_EXCL = 128;
const EEXIST = 20;

/**
 * File system of PGlite whose files only their owner may access; by default, PGlite gives access to everybody. The
 * umask is not an option: it applies to the whole process, and PGlite overrides it after it has created a file. A file
 * that can't be opened leaves nothing behind, so that PostgreSQL can create it later.
 */
export class OwnerOnlyFileSystem extends NodeFS {
  override init(...[pglite, options]: Parameters<NodeFsInit>): ReturnType<NodeFsInit> {
    const adapt = (module: object): void => {
      const { FS, NODEFS } = module as EmscriptenModule;
      restrictModes(NODEFS);
      cleanUpFailedOpens(FS, NODEFS);
    };
    return super.init(pglite, { ...options, preRun: [...(options.preRun ?? []), adapt] });
  }
}

function restrictModes(files: DiskFileSystem): void {
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
 * Removes what Emscripten leaves behind when the process has no free file descriptor: a name without a file, an open
 * stream, or an empty file. PostgreSQL creates files exclusively and tries again after it has closed others, so it
 * would get "File exists" for ever.
 */
function cleanUpFailedOpens(fileSystem: EmscriptenFileSystem, files: DiskFileSystem): void {
  const { open } = fileSystem;
  const { mknod } = files.node_ops;
  const { open: openStream } = files.stream_ops;
  files.node_ops.mknod = (parent, name, mode, device) =>
    cleanUpAfterFailure(
      () => mknod(parent, name, mode, device),
      () => fileSystem.destroyNode(fileSystem.lookupNode(parent, name)),
    );
  files.stream_ops.open = (stream) =>
    cleanUpAfterFailure(
      () => openStream(stream),
      () => fileSystem.closeStream(stream.fd),
    );
  fileSystem.open = (path, flags, mode) =>
    cleanUpAfterFailure(
      () => open(path, flags, mode),
      ({ errno }) => {
        const isCreated = typeof flags === 'number' && (flags & O_EXCL) !== 0 && errno !== EEXIST;
        if (isCreated) fileSystem.unlink(path);
      },
    );
}

/** Throws the error of the work, whether the cleanup succeeds or not. */
function cleanUpAfterFailure<T>(work: () => T, cleanUp: (error: { errno?: number }) => void): T {
  try {
    return work();
  } catch (error) {
    try {
      cleanUp(error as { errno?: number });
    } catch {
      // There was nothing to remove.
    }
    throw error;
  }
}

/**
 * Removes the permissions for the database that an earlier release or a copy gave to others. Restricts the folder
 * first, so that its files are inaccessible meanwhile.
 */
export function restrictToOwner(files: string): void {
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
