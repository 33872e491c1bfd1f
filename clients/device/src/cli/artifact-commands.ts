import { readFile, writeFile } from 'node:fs/promises';
import { basename, extname } from 'node:path';
import type { Command } from 'commander';
import { putArtifact } from '../content/put-artifact';
import { MACHINE_OPTION, type CommandContext, type MachineOption } from './command-context';
import { formatTimestamp, sanitizeLine } from './text-format';

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

interface PutCommandOptions extends MachineOption {
  tag?: string;
  type?: string;
  session?: string;
}

interface GetCommandOptions extends MachineOption {
  out?: string;
}

/** Adds `artifact put`, `artifact get` and `artifact list`. */
export function addArtifactCommands(program: Command, context: CommandContext): void {
  const artifact = program.command('artifact').description('Store, download and list artifacts');
  artifact
    .command('put')
    .description('Encrypt a file on this computer and store it; the same tag replaces it')
    .argument('<file>')
    .option('--tag <tag>', "default: the file's name")
    .option('--type <type>', "media type (default: derived from the file's name)")
    .option('--session <session>', "store it in this session, so that the session's grants include it")
    .option(...MACHINE_OPTION)
    .action((file: string, options: PutCommandOptions) => storeFile(context, file, options));
  artifact
    .command('get')
    .description('Download an artifact and decrypt it on this computer')
    .argument('<artifact>', 'art_…, see "artifact list"')
    .option('--out <file>', 'output file (default: standard output)')
    .option(...MACHINE_OPTION)
    .action((artifactId: string, options: GetCommandOptions) => downloadArtifact(context, artifactId, options));
  artifact
    .command('list')
    .description('List the artifacts')
    .option(...MACHINE_OPTION)
    .action((options: MachineOption) => listArtifacts(context, options));
}

async function storeFile(context: CommandContext, file: string, options: PutCommandOptions): Promise<void> {
  const bytes = await readFile(file);
  const tag = options.tag ?? basename(file);
  const mediaType = options.type ?? MEDIA_TYPES[extname(file).toLowerCase()] ?? 'application/octet-stream';
  const content = await context.openContent(options);
  const session = options.session === undefined ? undefined : await content.getSession(options.session);
  const artifact = await putArtifact(content, tag, { mediaType, bytes }, session);
  if (context.isJsonOutput) return context.terminal.writeJson(artifact);
  context.terminal.writeFields([
    ['Artifact', artifact.id],
    ['Tag', artifact.tag],
    ['Version', String(artifact.version)],
  ]);
}

async function downloadArtifact(
  context: CommandContext,
  artifactId: string,
  options: GetCommandOptions,
): Promise<void> {
  const content = await context.openContent(options);
  const { mediaType, bytes } = await content.readArtifact(await content.getArtifact(artifactId));
  const { out: file } = options;
  if (file === undefined) return context.terminal.writeBytes(bytes);
  await writeFile(file, bytes, { mode: 0o600 });
  if (context.isJsonOutput) context.terminal.writeJson({ file, mediaType, bytes: bytes.length });
  else context.terminal.writeLine(`${file}: ${bytes.length} bytes of ${sanitizeLine(mediaType)}`);
}

async function listArtifacts(context: CommandContext, options: MachineOption): Promise<void> {
  const artifacts = await (await context.openContent(options)).listArtifacts();
  if (context.isJsonOutput) return context.terminal.writeJson(artifacts);
  const rows = artifacts.map(({ id, version, updatedAt, mediaType, tag }) => [
    id,
    String(version),
    formatTimestamp(updatedAt),
    mediaType,
    tag,
  ]);
  context.terminal.writeTable(['ID', 'VERSION', 'UPDATED', 'TYPE', 'TAG'], rows);
}
