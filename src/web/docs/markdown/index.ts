export { renderCodeBlock, renderTabGroup } from './code-block';
export {
  renderDescription,
  renderMarkdown,
  type Heading,
  type LinkResolver,
  type PageSection,
  type RenderedMarkdown,
} from './render-markdown';
