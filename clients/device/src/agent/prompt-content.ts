import type { JsonObject } from './acp';
import type { AgentInfo } from './agent-inquiry';

/** Longer texts would fill the agent's context before it decides what to read of them. */
const MAX_EMBEDDED_BYTES = 100_000;

/** A file for the agent. */
export interface PromptFile {
  name: string;
  mediaType: string;
  bytes: Buffer;
}

/** A prompt in the form that the agent takes. */
export interface PromptContent {
  text: string;
  /** Blocks of content after the text. */
  blocks: readonly JsonObject[];
}

/**
 * Adds files to a prompt: pictures and texts as blocks of content if the agent announces that it takes them. It reads
 * others from the disk, by a path in the text. So it does with other blobs, which agents ignore although they announce
 * embedded content.
 * @param saveFile writes a file and returns its path
 */
export async function createPromptContent(
  text: string,
  files: readonly PromptFile[],
  { promptCapabilities }: AgentInfo,
  saveFile: (file: PromptFile, index: number) => Promise<string>,
): Promise<PromptContent> {
  const blocks: JsonObject[] = [];
  const lines: string[] = [];
  for (const [index, file] of files.entries()) {
    const block = createBlock(file, promptCapabilities);
    if (block) blocks.push(block);
    else lines.push(`Attached file: ${await saveFile(file, index)}`);
  }
  return { text: lines.length === 0 ? text : `${text}\n\n${lines.join('\n')}`, blocks };
}

/** Returns undefined for a file that the agent takes in no block. */
function createBlock(
  { name, mediaType, bytes }: PromptFile,
  { image, embeddedContext }: AgentInfo['promptCapabilities'],
): JsonObject | undefined {
  const [mimeType = ''] = mediaType.split(';');
  if (mimeType.startsWith('image/') && image) return { type: 'image', mimeType, data: bytes.toString('base64') };
  if (!mimeType.startsWith('text/') || !embeddedContext || bytes.length > MAX_EMBEDDED_BYTES) return undefined;
  const uri = `attachment:///${encodeURIComponent(name)}`;
  return { type: 'resource', resource: { uri, mimeType, text: bytes.toString() } };
}
