import type { ReferenceModel, ReferenceTag } from './reference-model';
import { buildOperationPath } from './reference-pages';

/** Writes the first page of a reference as Markdown. Its links begin at the root of the host. */
export function writeOverviewMarkdown(model: ReferenceModel): string {
  const { title, documentPath } = model.definition;
  return joinSections([
    `# ${title}`,
    `All requests go to \`${model.publicUrl}\`. The [OpenAPI document](${documentPath}) contains all of it.`,
    model.description,
    ...model.tags.flatMap((tag) => [`## [${tag.name}](${tag.path})`, tag.description, listOperations(tag)]),
  ]);
}

/** Writes the page of a tag as Markdown. Its links begin at the root of the host. */
export function writeTagMarkdown(tag: ReferenceTag): string {
  return joinSections([`# ${tag.name}`, tag.description, listOperations(tag)]);
}

function listOperations(tag: ReferenceTag): string {
  return tag.operations
    .map((operation) => {
      const request = `${operation.method} ${operation.path}`.trim();
      return `- [${operation.summary}](${buildOperationPath(tag, operation)}): \`${request}\``;
    })
    .join('\n');
}

function joinSections(sections: readonly string[]): string {
  return `${sections.filter(Boolean).join('\n\n')}\n`;
}
