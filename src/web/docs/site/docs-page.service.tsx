import { Injectable } from '@nestjs/common';
import { DeprecationsService } from '../../../access/deprecation';
import { RouteRegistry } from '../../../common/http';
import { Config } from '../../../core/config';
import { OpenApiDocumentService } from '../../openapi';
import { renderMarkdown, type RenderedMarkdown } from '../markdown';
import {
  buildOperationPath,
  buildReferenceModel,
  buildReferenceNavigation,
  buildTagPath,
  OperationPage,
  ReferenceOverview,
  TagPage,
  writeOperationMarkdown,
  type OpenApiDocument,
  type ReferenceModel,
  type ReferenceTag,
} from '../reference';
import { renderDocsDocument, type DocsDocument, type NavigationEntry, type NavigationGroup } from './docs-layout';
import { NotFoundPage } from './not-found-page';
import {
  DOCS_PAGES,
  PAGE_GROUPS,
  REFERENCE_GROUP,
  REFERENCE_PATH,
  resolvePageLink,
  type DocsPage,
} from './page-catalog';
import { readPageSource, readPortableSource, type PageFacts } from './page-source';
import { buildSearchIndex, writePageList } from './search-index';

const REFERENCE_ENTRY: NavigationEntry = { title: 'API reference', path: REFERENCE_PATH };
const DESCRIPTION_PATH = /(openapi|asyncapi)\.(json|yaml)$/;
/** A path that belongs to no page. */
const NOT_FOUND_KEY = '404';

/** Renders the pages of the documentation on their first request, and keeps them. */
@Injectable()
export class DocsPageService {
  private readonly htmlByPath = new Map<string, string>();
  private readonly markdownByPath = new Map<string, RenderedMarkdown>();
  private searchIndex: string | undefined;
  private model: ReferenceModel | undefined;

  constructor(
    private readonly config: Config,
    private readonly deprecations: DeprecationsService,
    private readonly routeRegistry: RouteRegistry,
    private readonly openApiDocument: OpenApiDocumentService,
  ) {}

  /** Returns the HTML of a page, or undefined if there is none. */
  getPage(path: string): string | undefined {
    return this.htmlByPath.get(path) ?? this.renderPage(path);
  }

  /** Returns the page for a path that doesn't exist. */
  getNotFoundPage(): string {
    return this.cachePage(NOT_FOUND_KEY, {
      title: 'Page not found',
      path: null,
      navigation: this.buildNavigation(),
      content: <NotFoundPage />,
    });
  }

  /** Returns the Markdown of a page, or undefined if there is none. */
  getMarkdown(path: string): string | undefined {
    const page = DOCS_PAGES.find((each) => each.path === path);
    if (page) return readPortableSource(page, this.readFacts());
    const found = this.findOperation(path);
    return found?.operation && writeOperationMarkdown(found.operation, this.getModel().publicUrl);
  }

  /** Returns the index of the search as JSON. */
  getSearchIndex(): string {
    return (this.searchIndex ??= JSON.stringify(
      buildSearchIndex(
        PAGE_GROUPS.flatMap(({ title, pages }) =>
          pages.map((page) => ({ group: title, page, sections: this.renderSource(page).sections })),
        ),
        this.getModel(),
      ),
    ));
  }

  /** Returns the list of all pages for language models (https://llmstxt.org). */
  getPageList(): string {
    const sections = (page: DocsPage) => this.renderSource(page).sections;
    return writePageList(this.config.publicUrl, this.listDescriptionPaths(), sections, this.getModel());
  }

  private renderPage(path: string): string | undefined {
    const page = DOCS_PAGES.find((each) => each.path === path);
    if (page) return this.renderMarkdownPage(page);
    if (path === REFERENCE_PATH) return this.renderReferenceOverview();
    const found = this.findOperation(path) ?? this.findTag(path);
    return found && this.renderReferencePage(path, found);
  }

  private renderMarkdownPage(page: DocsPage): string {
    const { html, sections } = this.renderSource(page);
    const navigation = this.buildNavigation();
    return this.cachePage(page.path, {
      title: page.title,
      path: page.path,
      navigation,
      headings: sections,
      markdownPath: `${page.path}.md`,
      ...findNeighbors(
        navigation.flatMap(({ entries }) => entries),
        page.path,
      ),
      content: <article class="guide" dangerouslySetInnerHTML={{ __html: html }} />,
    });
  }

  private renderReferenceOverview(): string {
    const model = this.getModel();
    const navigation = this.buildNavigation({ openTag: undefined });
    return this.cachePage(REFERENCE_PATH, {
      title: REFERENCE_ENTRY.title,
      path: REFERENCE_PATH,
      navigation,
      headings: model.tags.map(({ name, slug }) => ({ text: name, anchor: slug, depth: 2 })),
      ...findNeighbors(this.listReferenceEntries(), REFERENCE_PATH),
      content: <ReferenceOverview model={model} descriptionPaths={this.listDescriptionPaths()} />,
    });
  }

  private renderReferencePage(path: string, { tag, operation }: FoundReference): string {
    const { publicUrl } = this.getModel();
    return this.cachePage(path, {
      title: operation?.summary ?? tag.name,
      path,
      navigation: this.buildNavigation({ openTag: tag }),
      ...(operation && { markdownPath: `${path}.md`, scripts: ['try-it.js'], isWide: true }),
      ...findNeighbors(this.listReferenceEntries(), path),
      content: operation ? <OperationPage operation={operation} publicUrl={publicUrl} /> : <TagPage tag={tag} />,
    });
  }

  private cachePage(key: string, page: DocsDocument): string {
    const cached = this.htmlByPath.get(key);
    if (cached !== undefined) return cached;
    const html = renderDocsDocument(page);
    this.htmlByPath.set(key, html);
    return html;
  }

  private renderSource(page: DocsPage): RenderedMarkdown {
    let rendered = this.markdownByPath.get(page.path);
    if (!rendered) {
      rendered = renderMarkdown(readPageSource(page, this.readFacts()), (href) => resolvePageLink(href, page));
      this.markdownByPath.set(page.path, rendered);
    }
    return rendered;
  }

  private findTag(path: string): FoundReference | undefined {
    const tag = this.getModel().tags.find((each) => buildTagPath(each) === path);
    return tag && { tag };
  }

  private findOperation(path: string): FoundReference | undefined {
    for (const tag of this.getModel().tags) {
      const operation = tag.operations.find((each) => buildOperationPath(tag, each) === path);
      if (operation) return { tag, operation };
    }
    return undefined;
  }

  /** @param reference opens the tags of the reference, and the operations of one of them */
  private buildNavigation(reference?: { openTag: ReferenceTag | undefined }): NavigationGroup[] {
    return PAGE_GROUPS.map(({ title, pages }) => ({
      title,
      entries: [
        ...(title === REFERENCE_GROUP
          ? [
              {
                ...REFERENCE_ENTRY,
                ...(reference && { children: buildReferenceNavigation(this.getModel(), reference.openTag) }),
              },
            ]
          : []),
        ...pages,
      ],
    }));
  }

  private listReferenceEntries(): NavigationEntry[] {
    const entries = this.getModel().tags.flatMap((tag) => [
      { title: tag.name, path: buildTagPath(tag) },
      ...tag.operations.map((operation) => ({ title: operation.summary, path: buildOperationPath(tag, operation) })),
    ]);
    return [REFERENCE_ENTRY, ...entries];
  }

  private getModel(): ReferenceModel {
    if (!this.model) {
      // Examples of the committed document name a host that doesn't exist.
      const text = this.openApiDocument.externalApi.text.replaceAll('https://api.test', this.config.publicUrl);
      this.model = buildReferenceModel(JSON.parse(text) as OpenApiDocument);
    }
    return this.model;
  }

  private readFacts(): PageFacts {
    return {
      publicUrl: this.config.publicUrl,
      deprecations: this.deprecations.listDeprecations(),
      descriptionPaths: this.listDescriptionPaths(),
    };
  }

  private listDescriptionPaths(): string[] {
    return this.routeRegistry
      .listRoutes()
      .map(({ path }) => path)
      .filter((path) => DESCRIPTION_PATH.test(path))
      .sort();
  }
}

interface FoundReference {
  tag: ReferenceTag;
  operation?: ReferenceTag['operations'][number];
}

function findNeighbors(entries: readonly NavigationEntry[], path: string): Pick<DocsDocument, 'previous' | 'next'> {
  const index = entries.findIndex((entry) => entry.path === path);
  return { previous: entries[index - 1], next: entries[index + 1] };
}
