import { MethodBadge, type NavigationEntry } from '../site/docs-layout';
import { BreakablePath, Description } from './field-list';
import type { ReferenceModel, ReferenceOperation, ReferenceTag } from './reference-model';

export const buildOperationPath = (tag: ReferenceTag, { id }: ReferenceOperation) => `${tag.path}/${id}`;

/** Builds the navigation of the reference, with the operations of the open tag. */
export function buildReferenceNavigation(model: ReferenceModel, openTag: ReferenceTag | undefined): NavigationEntry[] {
  return model.tags.map((tag) => ({
    title: tag.name,
    path: tag.path,
    children:
      tag !== openTag
        ? []
        : tag.operations.map((operation) => ({
            title: operation.summary,
            path: buildOperationPath(tag, operation),
            ...(operation.method && { method: operation.method }),
          })),
  }));
}

interface OverviewProps {
  model: ReferenceModel;
  descriptionPaths: readonly string[];
}

/** First page of a reference: conventions, downloads and all operations. */
export function ReferenceOverview({ model, descriptionPaths }: OverviewProps) {
  const { title, lead, documentPath } = model.definition;
  const otherPaths = descriptionPaths.filter((path) => path !== documentPath);
  return (
    <article class="reference-overview">
      <h1>{title}</h1>
      <div class="lead">
        <Description markdown={`All requests go to \`${model.publicUrl}\`. ${lead}`} />
      </div>
      <p class="downloads">
        {[documentPath, ...otherPaths].map((path) => (
          <a key={path} class="button secondary" href={path} download={path.split('/').filter(Boolean).join('-')}>
            {path === documentPath ? 'Download OpenAPI' : `Download ${path}`}
          </a>
        ))}
        <a class="button secondary" href="/docs/tools">
          Postman, Bruno and clients
        </a>
      </p>
      <Description markdown={model.description} />
      {model.tags.map((tag) => (
        <section key={tag.slug}>
          <h2 id={tag.slug}>
            <a href={tag.path}>{tag.name}</a>
          </h2>
          <Description markdown={tag.description} />
          <OperationList tag={tag} />
        </section>
      ))}
    </article>
  );
}

/** Page of a tag, with an anchor per operation. */
export function TagPage({ tag }: { tag: ReferenceTag }) {
  return (
    <article class="reference-tag">
      <h1>{tag.name}</h1>
      <Description markdown={tag.description} />
      <OperationList tag={tag} hasAnchors />
    </article>
  );
}

function OperationList({ tag, hasAnchors = false }: { tag: ReferenceTag; hasAnchors?: boolean }) {
  return (
    <ul class="operation-list">
      {tag.operations.map((operation) => (
        <li key={operation.id} id={hasAnchors ? operation.id : undefined}>
          <a href={buildOperationPath(tag, operation)}>
            {operation.method && <MethodBadge method={operation.method} />}
            <BreakablePath path={operation.path} />
            {operation.summary !== operation.path && <span>{operation.summary}</span>}
          </a>
        </li>
      ))}
    </ul>
  );
}
