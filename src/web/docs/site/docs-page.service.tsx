import { Injectable } from '@nestjs/common';
import { DeprecationsService } from '../../../access/deprecation';
import { RouteRegistry } from '../../../common/http';
import { Config } from '../../../core/config';
import { renderMarkdown, type RenderedMarkdown } from '../markdown';
import {
  buildOperationPath,
  buildReferenceNavigation,
  OperationPage,
  ReferenceOverview,
  TagPage,
  writeOperationMarkdown,
  writeOverviewMarkdown,
  writeTagMarkdown,
  type ReferenceModel,
} from '../reference';
import { renderDocsDocument, type DocsDocument, type NavigationEntry, type NavigationGroup } from './docs-layout';
import { NotFoundPage } from './not-found-page';
import { DOCS_PAGES, PAGE_GROUPS, REFERENCE_GROUP, resolvePageLink, type DocsPage } from './page-catalog';
import { makeLinksPortable, readPageSource, readPortableSource, type PageFacts } from './page-source';
import { ReferenceService, type FoundReference } from './reference.service';
import { buildSearchIndex, writePageList } from './search-index';

const DESCRIPTION_PATH = /(openapi|asyncapi)\.(json|yaml)$/;
/** A path that belongs to no page. */
const NOT_FOUND_KEY = '404';

/** Renders the pages of the documentation on their first request, and keeps them. */
@Injectable()
export class DocsPageService {
  private readonly htmlByPath = new Map<string, string>();
  private readonly markdownByPath = new Map<string, RenderedMarkdown>();
  private searchIndex: string | undefined;

  constructor(
    private readonly config: Config,
    private readonly deprecations: DeprecationsService,
    private readonly routeRegistry: RouteRegistry,
    private readonly referenceService: ReferenceService,
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
    const found = this.referenceService.findPage(path);
    return found && makeLinksPortable(writeReferenceMarkdown(found), found.model.publicUrl);
  }

  /** Returns the index of the search as JSON. */
  getSearchIndex(): string {
    return (this.searchIndex ??= JSON.stringify(
      buildSearchIndex(
        PAGE_GROUPS.flatMap(({ title, pages }) =>
          pages.map((page) => ({ group: title, page, sections: this.renderSource(page).sections })),
        ),
        this.referenceService.listModels(),
      ),
    ));
  }

  /** Returns the list of all pages for language models (https://llmstxt.org). */
  getPageList(): string {
    const sections = (page: DocsPage) => this.renderSource(page).sections;
    const models = this.referenceService.listModels();
    return writePageList(this.config.publicUrl, this.listDescriptionPaths(), sections, models);
  }

  private renderPage(path: string): string | undefined {
    const page = DOCS_PAGES.find((each) => each.path === path);
    if (page) return this.renderMarkdownPage(page);
    const found = this.referenceService.findPage(path);
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

  private renderReferencePage(path: string, found: FoundReference): string {
    const { model, tag, operation } = found;
    return this.cachePage(path, {
      title: operation?.summary ?? tag?.name ?? model.definition.title,
      path,
      navigation: this.buildNavigation(found),
      ...(!tag && { headings: model.tags.map(({ name, slug }) => ({ text: name, anchor: slug, depth: 2 })) }),
      markdownPath: `${path}.md`,
      ...(operation && { isWide: true, ...(operation.sending === 'offered' && { scripts: ['try-it.js'] }) }),
      ...findNeighbors(listReferenceEntries(model), path),
      content: operation ? (
        <OperationPage operation={operation} publicUrl={model.publicUrl} />
      ) : tag ? (
        <TagPage tag={tag} />
      ) : (
        <ReferenceOverview model={model} descriptionPaths={this.listDescriptionPaths()} />
      ),
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

  /** @param open opens the tags of its reference, and the operations of its tag */
  private buildNavigation(open?: FoundReference): NavigationGroup[] {
    const references = this.referenceService.listModels().map((model) => ({
      ...toEntry(model),
      ...(model === open?.model && { children: buildReferenceNavigation(model, open.tag) }),
    }));
    return PAGE_GROUPS.map(({ title, pages }) => ({
      title,
      entries: title === REFERENCE_GROUP ? [...references, ...pages] : pages,
    }));
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

function writeReferenceMarkdown({ model, tag, operation }: FoundReference): string {
  if (operation) return writeOperationMarkdown(operation, model.publicUrl);
  return tag ? writeTagMarkdown(tag) : writeOverviewMarkdown(model);
}

const toEntry = ({ definition: { title, path } }: ReferenceModel): NavigationEntry => ({ title, path });

function listReferenceEntries(model: ReferenceModel): NavigationEntry[] {
  const entries = model.tags.flatMap((tag) => [
    { title: tag.name, path: tag.path },
    ...tag.operations.map((operation) => ({ title: operation.summary, path: buildOperationPath(tag, operation) })),
  ]);
  return [toEntry(model), ...entries];
}

function findNeighbors(entries: readonly NavigationEntry[], path: string): Pick<DocsDocument, 'previous' | 'next'> {
  const index = entries.findIndex((entry) => entry.path === path);
  return { previous: entries[index - 1], next: entries[index + 1] };
}
