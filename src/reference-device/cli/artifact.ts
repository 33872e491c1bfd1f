import { readFile, writeFile } from 'node:fs/promises';
import { basename, extname } from 'node:path';
import { putArtifact } from '../content/put-artifact';
import type { Command } from './command';
import { AS_MACHINE } from './kept';
import { facts, printable, table, when } from './layout';

const MEDIA_TYPES: Record<string, string> = {
  '.txt': 'text/plain; charset=utf-8',
  '.log': 'text/plain; charset=utf-8',
  '.md': 'text/markdown; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.csv': 'text/csv; charset=utf-8',
  '.json': 'application/json',
  '.pdf': 'application/pdf',
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.svg': 'image/svg+xml',
};

export const artifactPutCommand: Command = {
  name: 'artifact put',
  positionals: ['FILE'],
  summary: 'Keep a file, encrypted here; the same tag again replaces it',
  options: {
    tag: { value: 'TAG', help: "default: the file's name" },
    type: { value: 'TYPE', help: "its media type (default: by the file's name)" },
    session: { value: 'SESSION', help: 'keep it in this session, whose grants then cover it' },
    ...AS_MACHINE,
  },
  async run(call) {
    const file = call.positional(0);
    const bytes = await readFile(file);
    const tag = call.text('tag') ?? basename(file);
    const mediaType = call.text('type') ?? MEDIA_TYPES[extname(file).toLowerCase()] ?? 'application/octet-stream';
    const content = await call.content();
    const sessionName = call.text('session');
    const session = sessionName === undefined ? undefined : await content.session(sessionName);
    const artifact = await putArtifact(content, tag, { mediaType, bytes }, session);
    if (call.json) return call.terminal.json(artifact);
    call.terminal.line(
      facts([
        ['Artifact', artifact.id],
        ['Tag', printable(artifact.tag)],
        ['Version', String(artifact.version)],
      ]),
    );
  },
};

export const artifactGetCommand: Command = {
  name: 'artifact get',
  positionals: ['ARTIFACT'],
  summary: 'Read an artifact, decrypted here',
  options: {
    out: { value: 'FILE', help: 'where to write it (default: standard output)' },
    ...AS_MACHINE,
  },
  async run(call) {
    const content = await call.content();
    const { mediaType, bytes } = await content.read(await content.artifact(call.positional(0)));
    const file = call.text('out');
    if (file === undefined) return call.terminal.bytes(bytes);
    await writeFile(file, bytes, { mode: 0o600 });
    if (call.json) call.terminal.json({ file, mediaType, bytes: bytes.length });
    else call.terminal.line(`${file}: ${bytes.length} bytes of ${printable(mediaType)}`);
  },
};

export const artifactListCommand: Command = {
  name: 'artifact list',
  positionals: [],
  summary: 'List the artifacts',
  options: AS_MACHINE,
  async run(call) {
    const artifacts = await (await call.content()).artifacts();
    if (call.json) return call.terminal.json(artifacts);
    const rows = artifacts.map(({ id, version, updatedAt, mediaType, tag }) => [
      id,
      String(version),
      when(updatedAt),
      printable(mediaType),
      printable(tag),
    ]);
    call.terminal.line(table(['ID', 'VERSION', 'UPDATED', 'TYPE', 'TAG'], rows));
  },
};
