import type { CommandAction } from '../command-line/command-spec.ts';
import { formatRelativeTime } from '../output/relative-time.ts';
import { resolveSessionId } from '../resolve-names.ts';

const DEFAULT_LIMIT = 30;

export const listArtifacts: CommandAction = async (context, input) => {
  const { terminal } = context;
  const client = context.createClient();
  const limit = input.findWholeNumber('limit') ?? DEFAULT_LIMIT;
  const session = input.findOption('session');
  const sessionId = session === undefined ? undefined : await resolveSessionId(client, session);
  const artifacts = await client.artifacts.list({ sessionId, limit: Math.min(limit, 200) }).toArray(limit);
  if (terminal.isJson) return terminal.writeJson(artifacts);
  if (artifacts.length === 0) return terminal.writeNotice('There are no artifacts.');
  const columns = [
    { title: 'ID' },
    { title: 'TYPE', priority: 2 },
    { title: 'SIZE', priority: 3 },
    { title: 'UPDATED', priority: 1 },
    { title: 'TAG', priority: 4 },
  ];
  terminal.writeTable(
    columns,
    artifacts.map((artifact) => [
      artifact.id,
      terminal.show(artifact.mediaType),
      formatBytes(artifact.sizeBytes),
      formatRelativeTime(artifact.updatedAt, context.now),
      terminal.show(artifact.tag),
    ]),
  );
};

export const showArtifact: CommandAction = async (context, input) => {
  const { terminal } = context;
  const artifact = await context.createClient().artifacts.get(input.getArgument('ARTIFACT'));
  if (terminal.isJson) return terminal.writeJson(artifact);
  terminal.writeFields([
    ['ID', artifact.id],
    ['Tag', terminal.show(artifact.tag)],
    ['Type', terminal.show(artifact.mediaType)],
    ['Size', `${formatBytes(artifact.sizeBytes)}, encrypted`],
    ['Version', String(artifact.version)],
    ['Session', artifact.sessionId ?? '-'],
    ['Content', artifact.contentGranted ? 'readable' : 'not shared with this token'],
    ['Updated', formatRelativeTime(artifact.updatedAt, context.now)],
  ]);
};

export const printContent: CommandAction = async (context, input) => {
  const { terminal } = context;
  const content = await context.createClient().artifacts.content(input.getArgument('ARTIFACT'));
  if (terminal.isJson) {
    const { bytes, ...more } = content;
    return terminal.writeJson({ ...more, base64: Buffer.from(bytes).toString('base64') });
  }
  // A terminal obeys what is in a file.
  if (terminal.isOutputTerminal) terminal.writeLine(terminal.showText(content.text));
  else await terminal.writeBytes('stdout', content.bytes);
};

function formatBytes(count: number): string {
  if (count < 1_024) return `${count} B`;
  return count < 1_048_576 ? `${(count / 1_024).toFixed(1)} KiB` : `${(count / 1_048_576).toFixed(1)} MiB`;
}
