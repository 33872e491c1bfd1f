import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const GUIDE_FOLDER = join(__dirname, '..', '..', '..', 'docs', 'guide');

/** Languages of a tab group, in the order of the tabs. */
export const SAMPLE_LANGUAGES = ['sh', 'js', 'python', 'go'] as const;
export type SampleLanguage = (typeof SAMPLE_LANGUAGES)[number];

/** Fenced block of a page. */
export interface GuideBlock {
  /** `page.md:line` of its first line of code. */
  location: string;
  language: string;
  code: string;
}

/** Tab group or single block: what a reader of the page does next. */
export interface GuideStep {
  page: string;
  /** `page: heading`, with a number from the second step below the same heading on. */
  name: string;
  blocks: GuideBlock[];
}

export function listGuidePages(): string[] {
  return readdirSync(GUIDE_FOLDER)
    .filter((file) => file.endsWith('.md'))
    .map((file) => file.slice(0, -'.md'.length));
}

/** Returns the steps of a page as the service shows them: with its URL in place of `{host}`. */
export function readGuideSteps(page: string, host: string): GuideStep[] {
  const lines = readFileSync(join(GUIDE_FOLDER, `${page}.md`), 'utf8')
    .replaceAll('{host}', host)
    .split('\n');
  const steps: GuideStep[] = [];
  let heading = '';
  let step: GuideStep | undefined;
  for (let index = 0; index < lines.length; index++) {
    const line = lines[index]!;
    const [, title] = /^#+ (.*)$/.exec(line) ?? [];
    const [, fence, language = ''] = /^(`{3,})(\w*)$/.exec(line) ?? [];
    if (fence) {
      const end = lines.indexOf(fence, index + 1);
      const block = {
        location: `docs/guide/${page}.md:${index + 2}`,
        language,
        code: `${lines.slice(index + 1, end).join('\n')}\n`,
      };
      if (step && continuesGroup(step, language)) step.blocks.push(block);
      else steps.push((step = { page, name: nameStep(steps, `${page}: ${heading}`), blocks: [block] }));
      index = end;
    } else if (title) [heading, step] = [title, undefined];
    else if (line !== '') step = undefined;
  }
  return steps;
}

/** Whether the language is a later tab than the last one of the group. */
function continuesGroup({ blocks }: GuideStep, language: string): boolean {
  const order: readonly string[] = SAMPLE_LANGUAGES;
  const last = order.indexOf(blocks.at(-1)!.language);
  return last >= 0 && order.indexOf(language) > last;
}

function nameStep(steps: GuideStep[], place: string): string {
  const earlier = steps.filter(({ name }) => name === place || name.startsWith(`${place} `)).length;
  return earlier === 0 ? place : `${place} ${earlier + 1}`;
}
