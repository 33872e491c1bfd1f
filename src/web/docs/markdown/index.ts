export { renderCodeBlock, renderTabGroup } from './code-block';
export {
  renderDescription,
  renderMarkdown,
  type Heading,
  type PageSection,
  type RenderedMarkdown,
} from './render-markdown';
