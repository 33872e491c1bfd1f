import { renderToString } from 'preact-render-to-string';
import { NAV } from '../nav';
import { Layout } from './layout';
import type { Page } from './page';
import { ViewerContext, type Viewer } from './viewer';

/** The whole document; every text in it is escaped by the renderer. */
export function renderPage({ content, options }: Page, viewer: Viewer | null, path: string): string {
  const html = renderToString(
    <ViewerContext.Provider value={viewer}>
      <Layout options={options} viewer={viewer} nav={NAV} path={path}>
        {content}
      </Layout>
    </ViewerContext.Provider>,
  );
  return `<!doctype html>\n${html}\n`;
}
