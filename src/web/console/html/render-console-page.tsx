import { renderDocument } from '../../../common/html';
import { ConsoleLayout } from './console-layout';
import type { HtmlPage } from './html-page';
import { ViewerContext, type Viewer } from './viewer';

/** Renders the whole document. */
export function renderConsolePage({ content, options }: HtmlPage, viewer: Viewer | null, path: string): string {
  return renderDocument(
    <ViewerContext.Provider value={viewer}>
      <ConsoleLayout options={options} viewer={viewer} path={path}>
        {content}
      </ConsoleLayout>
    </ViewerContext.Provider>,
  );
}
