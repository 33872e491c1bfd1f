import { readFileSync } from 'node:fs';
import { extname, join } from 'node:path';

const LINE = /^\[[^\]]+\]\((examples\/[\w.-]+)\)$/gm;

/** A line that is nothing but a link to an example becomes the example itself, as a block of code. */
export function withExamples(markdown: string, folder: string): string {
  return markdown.replace(LINE, (_, path: string) => {
    const code = readFileSync(join(folder, path), 'utf8');
    return `\`\`\`${extname(path).slice(1)}\n${code}\`\`\``;
  });
}
